package recall_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestLongMessage: what stands behind many statements of one message is found, as if it had been
// said alone.
func TestLongMessage(t *testing.T) {
	t.Parallel()
	rooms := []string{"kitchen", "hall", "cellar", "attic", "garage", "study", "porch", "pantry", "bathroom", "garden"}
	for _, size := range []int{500, 8 << 10, 12 << 10, 60 << 10} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			for i := 0; b.Len() < size; i++ {
				fmt.Fprintf(&b, "We painted the %s of house %d in week %d. ", rooms[i%len(rooms)], i/len(rooms)+1, i%50+1)
			}
			k := newTalk(t)
			k.tell(b.String()+"My cello teacher is called Ottilie. We locked the doors.", "I had porridge for breakfast.")
			const question = "What is my cello teacher called?"
			if got := k.say(question); !sure(got) || !strings.Contains(got, "Ottilie") {
				t.Errorf("%s\n got %.300s\nwant Ottilie, for sure", question, got)
			}
		})
	}
}
