"""Bare-metal firmware: our C for Cortex-M, glue generated from the manifest, and batch runs on an emulator."""
