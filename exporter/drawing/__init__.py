"""Pictures of a mechanism: a scene from a solved pose, rendered as SVG or PNG."""
