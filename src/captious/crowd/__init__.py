"""Crowd providers behind one interface: in-house links and panels, Prolific, Mechanical Turk."""
