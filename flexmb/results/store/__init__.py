"""Solutions as HDF5 files: plain numbers and texts with names, no code, readable by any HDF5 tool.

    /                  attributes format, format_version, flexmb_version, model, units, status, message, still,
                       order: that of the method (2 when it is missing), dimension: 2 in the plane, 3 in space,
                       time_label: what the times are, with their unit ("t [s]" when it is missing); load_time: the
                       time [s] of loads if the times are something else, NaN if not
    /time (k,)         /coordinates (k, nq)    /speeds, /accelerations (k, n)    /multipliers (k, m)
                       multipliers of all rows; where rows repeat one another, the smallest that hold the mechanism
    /rows_not_unique   numbers of the rows whose multipliers the motion does not determine, if there are any
    /names/…           coordinates (nq,), kinds (n,); fixed: values of the coordinates of fixed frames; rows (m, 3):
                       joint, name, kind; levels (m,): what each row restricts, "position" or "velocity";
                       gravity (dimension,); central (8,), of a model in orbit: μ, position and velocity of its
                       origin at t = 0, radius of the central body or 0
    /blocks/0, 1, …    attributes kind, size; first: numbers of the speeds with which the blocks of this kind begin
    /frames/…          in the plane: names (f,), numbers (f, 3) of the coordinates of the frame's node, offsets (f, 3)
    /places/…          frames in space: names (f,), coordinates (f, 7) and speeds (f, 6): numbers of those of the
                       frame's node, offsets (f, 3), axes (f, 4): quaternion from the frame's axes to those of the node
    /bodies/…          names, frames, centers (b, dimension), masses, in space inertias (b, 6)
    /shapes/0, 1, …    attributes body, kind, color, part: whether it is a part of a compound; sizes, place (7,):
                       position and quaternion in the axes of the body's frame, of a surface vertices (p, 3) and
                       faces (f, 3); of those bodies in space that have a shape
    /spins/0, 1, …     of wheels: attributes body, rotor: the coordinate that is its angle; numbers (6,): axis in the
                       axes of its frame, inertia about it and across it, constant speed
    /covers/0, 1, …    of figures that bend: attribute body; beams: the names of those along which they go
    /meshes/0, 1, …    of bodies that deform: attributes body, loaded: whether loads may act between its interfaces;
                       modes: the coordinates that are amplitudes; nodes (N, dimension), shapes (N, dimension,
                       n + n_s), slaves (n_s, n, n), faces (f, 3); cells/0, 1, …: attribute kind, that of meshio, nodes
                       (c, nodes of each); where stresses are known, elasticity/0, 1, …: of each block of cells
                       gradients (q, a, dimension), weights (q,), to_nodes (a, q), constants (3,): λ, μ and the part of
                       stress across a body of the plane, density; left_out (p, 6, 12) or (p, 4, 4), origin
                       (dimension,), orientation (dimension, dimension) (:class:`flexmb.bodies.BodyMesh`); interfaces:
                       names, places (i, dimension) and axes (i, dimension, dimension) on the undeformed body
    /pairs/…           names, a, b, glyphs, axes, in space axes_on_a, axes_on_b (p, 3): joints, forces; of
                       motors in space rotors: the coordinates that are the angles of their rotors
    /joints/…          joints: names, axes_a, axes_b (j, 4): quaternions from the axes of the joint to those of its
                       frames, in the plane angles (j, 1); coordinates that are measured in it, counted: the coordinate
                       that counts its turns
    /contacts/0, 1, …  attributes pair, swapped: whether the first body is that of frame b; rows (p, 24): the parameters
                       of each pair of shapes (:mod:`flexmb.forces.contact_force`) in the axes of the frames
    /stops/0, 1, …     attributes pair, measure; numbers (5,): limits, k, n and d of the law
    /beams/0, 1, …     attributes name, elements, length, EA, EI, area, outer_fiber, in space EIy, GJ, radius, columns,
                       section_columns; in space the corners (c, 2) of the outline of a section that is not round;
                       places s (p,), motion (p, k, 9 or 19), sections (p, k, 5 or 12) if the beam's theory has them
    /interior/0, 1, …  of bodies with places that have a name and no node, as interfaces on which nothing stands:
                       attribute name; frames (p,): names of the places, motion (p, k, 9 or 19)
    /forces/0, 1, …    attributes joint, frame, along: whether it is of all that acts along the joint's coordinates;
                       values (k, 3 or 6): force on the frame's node, moment about the node, in space in the node's axes
    /control/0, 1, …   attributes name, delay; t (s,), y (s, sensors), u (s, commands), sensors, commands: their names,
                       sensor_units, command_units; earlier/t, y, u: of a run that went on from another one, the
                       instants before it that act in it; state: where the controller stands at the end of the run,
                       attributes t, period, delay, first, instants, pending, noise; memory, counted, growth, and
                       sent/t, y, u (:class:`flexmb.results.signals.ControllerState`)
    /whole (k, 22)     the mechanism as a whole: mass, m c, momentum and angular momentum about the origin, force and
                       moment of all outside but weight, and of loads (:mod:`flexmb.system.whole`)
    /epochs/0, 1, …    attribute first: the row with which it begins; off: names of the components that take no part
                       from there on; only where some take no part, or are switched in the run; measured/0, 1, …:
                       of components that took what they found, name, values, lengths: parameters of their instances
    /events/…          if there were some: names (e, 3): name, quantity, direction; values (e, 3): time, value, energy
                       lost; coordinates, speeds, accelerations, multipliers: the states before; texts done, on, off,
                       impulses: names of joints, with the numbers of their events in done_of …, and impulse_values
    /inside/…          where an explicit method makes its steps again: their numbers, steps (s,), and panels (s,);
                       coordinates, speeds, accelerations, multipliers (j, …) at the 8 panels nodes of each of them but
                       the last (:mod:`flexmb.results.between_steps.nodes`), beams, interior, forces and whole as above,
                       at these nodes
    /earlier_events    names of events that had happened before, in the run from which this one went on
    /energy/…          the ledger, (k,) each               /statistics  attributes          /doubts  texts

Quaternions have the sign with which they were computed. In the coordinates their scalar parts stand behind all others,
in the order of the blocks (:mod:`flexmb.kernels.blocks`).

All numbers are float64 in one piece (the numbers of coordinates int64). As HDF5 allows, 512 bytes come before the HDF5
part of the file. They hold the check sum of the whole file (:mod:`flexmb.results.store.head`), so that a file that was
cut short or changed is refused before anything in it is read. Whatever a file says of itself, reading it takes no more
memory than a few times its own size, and opens no other file.

Other formats are refused: those before the present one were written by no release.
"""
