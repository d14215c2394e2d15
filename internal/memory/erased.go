package memory

// A sentence that was erased has left a mark. The rest of its message is read as it was before, as far as that can be
// known: the mark counts as a sentence, and it begins no line.

// said is how many sentences a message has, with those that were erased.
func (x *distiller) said() int { return len(x.sentences) + x.erased }
