-- A block lies on one page, beside its key. Before, each was cut into pieces of 2 KB in another table, and
-- a turn that reads a thousand blocks looked for five thousand pieces.
ALTER TABLE piece_blocks SET (toast_tuple_target = 8160);
