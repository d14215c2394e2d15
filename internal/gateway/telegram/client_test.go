package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// TestMasked: no error shows the token, and its cause is still known.
func TestMasked(t *testing.T) {
	t.Parallel()
	c := newClient(nil, "AAsecret")
	for _, err := range []error{
		&url.Error{Op: "Post", URL: "https://api.telegram.org/bot1:AAsecret/getMe", Err: context.Canceled},
		fmt.Errorf("do: %w", &url.Error{Op: "Post", URL: "https://api.telegram.org/bot1%3AAAsecret/getMe", Err: context.Canceled}),
		errors.New("dial /bot1:AAsecret/getMe: refused"),
		&url.Error{Op: "Post", URL: "x", Err: errors.New("proxy: /bot1:AAsecret/getMe")},
	} {
		got := c.masked(err)
		if strings.Contains(got.Error(), "AAsecret") {
			t.Errorf("got %q", got)
		}
		if errors.Is(err, context.Canceled) && !errors.Is(got, context.Canceled) {
			t.Errorf("got %q, want its cause kept", got)
		}
	}
}
