"""Hard contacts: mechanisms that bounce, rock, stick and slide, against closed forms and references by events."""
