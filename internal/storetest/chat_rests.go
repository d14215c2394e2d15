package storetest

import (
	"context"
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/owner"
)

func restTests() []test {
	return []test{
		{"a rest is kept until it ends", testRests},
	}
}

// restOf is a rest of a chat; of all chats of the bot for "".
func restOf(chat string, end int) gateway.Rest {
	return gateway.Rest{Place: placeOf(chat), Until: hour(end)}
}

func testRests(t *testing.T, st Store) {
	other := restOf("c", 9)
	other.Place.Account = "another-bot"
	for _, r := range []gateway.Rest{restOf("c", 1), restOf("c", 3), restOf("d", 2), restOf("", 4), other} {
		if err := st.PutRest(t.Context(), alice(), r); err != nil {
			t.Fatal(err)
		}
	}
	rests := func(after int) []gateway.Rest {
		list, err := st.RestsOf(t.Context(), alice(), gateway.Telegram, "the-bot", hour(after))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	same(t, "rests", rests(0), []gateway.Rest{restOf("", 4), restOf("c", 3), restOf("d", 2)})
	same(t, "rests that are not over", rests(2), []gateway.Rest{restOf("", 4), restOf("c", 3)})
	if err := st.SweepChats(t.Context(), hour(4)); err != nil {
		t.Fatal(err)
	}
	same(t, "rests that were not swept", rests(0), []gateway.Rest{restOf("", 4)})
}

func restReadingCases() map[string]isolationCase {
	return map[string]isolationCase{
		"RestsOf": {call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return st.RestsOf(ctx, o, gateway.Telegram, "the-bot", epoch())
		}},
	}
}

func restWritingCases() map[string]isolationCase {
	return map[string]isolationCase{
		"PutRest": {silent: true, makes: true, call: func(ctx context.Context, st Store, o owner.Owner) (any, error) {
			return nil, st.PutRest(ctx, o, restOf("the-chat", 5))
		}},
	}
}
