"""Solutions as HDF5 files: plain numbers and texts with names, no code, readable by any HDF5 tool.

    /                  attributes format, format_version, flexmb_version, model, units, status, message, still
    /time (k,)         /coordinates, /speeds, /accelerations (k, n)         /multipliers (k, m)
    /names/…           coordinates, kinds (n,); fixed: values of the coordinates of fixed frames; rows (m, 3)
    /frames/…          names (f,), numbers (f, 3) of the coordinates of the frame's node, offsets (f, 3)
    /bodies/…          names, frames, centers (b, 2), masses        /pairs/…  names, a, b, glyphs, axes: joints, forces
    /beams/0, 1, …     attributes name, elements, length, EA, EI, area, outer_fibre, columns, section_columns;
                       places s (p,), motion (p, k, 9), sections (p, k, 5) if the beam's theory has them
    /forces/0, 1, …    attributes joint, frame; values (k, 3): force on the frame's node, moment about the node
    /control/0, 1, …   attributes name, delay; t (s,), y (s, sensors), u (s, commands), sensors, commands: their names,
                       sensor_units, command_units
    /energy/…          the ledger, (k,) each               /statistics  attributes          /doubts  texts

All numbers are float64 in one piece (the numbers of coordinates int64). Before the HDF5 file proper stand 512 bytes, as
HDF5 allows, with the check sum of the whole file (:mod:`flexmb.results.store.head`): a file that was cut short or in
which a byte was changed is known before anything in it is read. Whatever a file says of itself, reading it takes no
more memory than a few times its own size, and opens no other file.

Formats: 1 has no sections of beams; 2 has no head, and check sums of its numbers alone; in both the signals of
controllers have no units; up to 3 pairs have the names of their classes, for which glyphs are put when they are read,
and no axes. All are read.
"""
