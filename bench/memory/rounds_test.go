package main

import "testing"

// TestRounds asks for what was told long ago in other words, and for what was
// never told. The floors are a little under what is reached.
func TestRounds(t *testing.T) {
	t.Parallel()
	floors := []struct{ right, wrong, answered float64 }{
		{9. / 10, 1. / 30, 1. / 4}, {9. / 10, 1. / 50, 1. / 3}, {17. / 20, 1. / 50, 1. / 6},
	}
	for i, r := range ourRounds() {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			got, err := r.ask(t.Logf)
			if err != nil {
				t.Fatal(err)
			}
			yes, no, invented := got.of(right, told), got.of(wrong, told), got.of(answered, never)
			t.Logf("%s right, %s wrong; %s answered without being told", yes.share(), no.share(), invented.share())
			if floor := floors[i]; yes.mean() < floor.right || no.mean() > floor.wrong || invented.mean() > floor.answered {
				t.Errorf("want %.2f right, %.2f wrong, %.2f answered without being told", floor.right, floor.wrong, floor.answered)
			}
		})
	}
}
