"""Does the device agree, in time?"""
