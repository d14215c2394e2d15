package main

import (
	"testing"

	"github.com/anishathalye/porcupine"
)

// TestTranscripts shows the model histories that may be, and such that may not.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	op := func(client int, call, ended int64, in said, out saw) porcupine.Operation {
		out.known = true
		return porcupine.Operation{ClientId: client, Input: in, Call: call, Output: out, Return: ended}
	}
	turn := func(client int, call, ended int64, name, after string, at, answered int) []porcupine.Operation {
		return []porcupine.Operation{
			op(client, call, ended, said{kind: ask, name: name}, saw{after: after, place: at}),
			op(client, call, ended, said{kind: answer, name: name}, saw{after: after, place: answered}),
		}
	}
	look := func(call, ended int64, log string) porcupine.Operation {
		return op(9, call, ended, said{kind: look}, saw{log: log})
	}
	first := turn(1, 1, 6, "t1.0", "nothing", 0, 1)
	for _, c := range []struct {
		name    string
		history []porcupine.Operation
		want    porcupine.CheckResult
	}{
		{"one after the other", append(turn(2, 2, 9, "t2.0", "n1.0", 2, 3), first...), porcupine.Ok},
		{"one inside the other", append(turn(2, 2, 9, "t2.0", "t1.0", 1, 2), first[0], turn(1, 1, 6, "t1.0", "nothing", 0, 3)[1]), porcupine.Illegal},
		{"a turn that did not see the one before", append(turn(2, 2, 9, "t2.0", "nothing", 2, 3), first...), porcupine.Illegal},
		{"an order against time's", append(turn(2, 7, 9, "t2.0", "nothing", 0, 1), turn(1, 1, 6, "t1.0", "n2.0", 2, 3)...), porcupine.Illegal},
		{"a lost answer", append(first[:1:1], turn(1, 1, 6, "t1.0", "nothing", 0, -1)[1]), porcupine.Illegal},
		{"a read in the middle", append(first[:2:2], look(2, 5, " 0:t1.0")), porcupine.Ok},
		{"a read behind the end", append(first[:2:2], look(7, 8, " 0:t1.0")), porcupine.Illegal},
		{"a replay", append(first[:2:2], op(2, 2, 7, said{kind: again, name: "t1.0"}, saw{after: "nothing"})), porcupine.Ok},
		{"a replay of something else", append(first[:2:2], op(2, 2, 7, said{kind: again, name: "t1.0"}, saw{after: "n3.0"})), porcupine.Illegal},
		{
			"an undo", append(first[:2:2], op(2, 7, 8, said{kind: undo}, saw{count: 2, name: "t1.0"}), look(9, 10, ""),
				op(2, 11, 12, said{kind: add, names: []string{"a2.1"}}, saw{from: 2})), porcupine.Ok,
		},
		{"an undo of half a turn", append(first[:2:2], op(2, 2, 5, said{kind: undo}, saw{count: 1, name: "t1.0"})), porcupine.Illegal},
		{"a copy", append(first[:2:2], op(2, 7, 8, said{kind: fork}, saw{log: " 5:t1.0 6:n1.0"})), porcupine.Ok},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := porcupine.CheckOperationsTimeout(transcripts, c.history, 0); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
