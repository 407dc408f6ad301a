"""Which examples of a benchmark are judged, and with which references, objects and photographs."""
