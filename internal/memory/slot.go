package memory

// InSlot returns the newest facts that fill a slot, newest first, at most most. Some of them may
// be replaced, and the speakers may be several.
func (v *View) InSlot(subject, attribute string, most int) (facts []Fact) {
	v.with(func(s *State) {
		for _, k := range s.facts(s.newest(nil, slotOf(subject, attribute), most)) {
			if k.Subject == subject && k.Attribute == attribute { // keys are hashes
				facts = append(facts, k.Fact)
			}
		}
	})
	return facts
}

// slotOf is the key of a slot.
func slotOf(subject, attribute string) key {
	return keyOf(slotKey, hashText(subject+"\x00"+attribute))
}
