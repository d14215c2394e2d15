package main

import (
	"testing"

	"github.com/anishathalye/porcupine"
)

// TestRegisters shows the model histories that may be, and such that may not.
func TestRegisters(t *testing.T) {
	t.Parallel()
	op := func(call, ended int64, in entry, out seen) porcupine.Operation {
		out.known = ended != forever
		return porcupine.Operation{Input: in, Call: call, Output: out, Return: ended}
	}
	turn := func(call, ended int64, name, after string, at, answered int) []porcupine.Operation {
		return []porcupine.Operation{
			op(call, ended, entry{kind: ask, name: name, answered: true}, seen{after: after, place: at}),
			op(call, ended, entry{kind: answer, name: name, answered: true}, seen{after: after, place: answered}),
		}
	}
	look := func(call, ended int64, log string) porcupine.Operation {
		return op(call, ended, entry{kind: look}, seen{log: log})
	}
	retried := func(call, ended int64, name string, at, answered int) []porcupine.Operation {
		return []porcupine.Operation{
			op(call, ended, entry{kind: ask, name: name, answered: true, retried: true}, seen{place: at}),
			op(call, ended, entry{kind: answer, name: name, answered: true, retried: true}, seen{place: answered}),
		}
	}
	piece := func(call, ended int64, name string, at int) porcupine.Operation {
		return op(call, ended, entry{kind: part, name: name}, seen{place: at})
	}
	first := turn(1, 4, "t1.0", "nothing", 0, 1)
	cut := op(2, forever, entry{kind: ask, name: "t3.0"}, seen{place: 2})
	for _, c := range []struct {
		name    string
		history []porcupine.Operation
		want    porcupine.CheckResult
	}{
		{"one after the other", append(turn(2, 9, "t2.0", "n1.0", 2, 3), first...), porcupine.Ok},
		{"an input inside of another turn", append(turn(2, 9, "t2.0", "t1.0", 1, 3), turn(1, 5, "t1.0", "nothing", 0, 2)...), porcupine.Illegal},
		{"a turn that did not see the one before", append(turn(5, 9, "t2.0", "nothing", 2, 3), first...), porcupine.Illegal},
		{"an order against time's", append(turn(7, 9, "t2.0", "nothing", 0, 1), turn(1, 5, "t1.0", "n2.0", 2, 3)...), porcupine.Illegal},
		{"a read of everything", append(first[:2:2], look(5, 6, " 0:t1.0 1:n1.0")), porcupine.Ok},
		{"a stale read", append(first[:2:2], look(5, 6, "")), porcupine.Illegal},
		{"a read of half a turn", append(first[:2:2], look(2, 3, " 0:t1.0")), porcupine.Ok},
		{"a turn that was cut off", append(append(turn(5, 9, "t2.0", "n1.0", 3, 4), cut), first...), porcupine.Ok},
		{"a turn inside of one that was repeated", append(turn(5, 9, "t2.0", "n1.0", 1, 2), retried(1, 12, "t1.0", 0, 3)...), porcupine.Ok},
		{"a repeated turn inside of another one", append(turn(1, 9, "t2.0", "nothing", 0, 3), retried(1, 12, "t1.0", 1, 2)...), porcupine.Illegal},
		{"a part of an answer, and the answer", append(retried(1, 12, "t1.0", 0, 2), piece(1, 12, "p1.0", 1)), porcupine.Ok},
		{"a part that is stored behind the answer", append(retried(1, 4, "t1.0", 0, 1), piece(5, 9, "p1.0", 2), look(10, 11, " 0:t1.0 1:n1.0")), porcupine.Illegal},
		{"a part inside of another turn", append(turn(5, 9, "t2.0", "nothing", 0, 2), piece(1, 12, "p1.0", 1)), porcupine.Illegal},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := porcupine.CheckOperationsTimeout(registers, c.history, 0); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
