package gateway_test

import (
	"testing"

	"github.com/hermes-memory/hermes/internal/gateway"
)

// TestWithoutMention: a text reads as if the bot had not been mentioned in it.
func TestWithoutMention(t *testing.T) {
	t.Parallel()
	for _, tt := range [][3]string{
		{"", " do it", "|do it"}, {"", ", do it", "|do it"}, {"", ": /status", "|/status"}, {"", ",", "|"}, {"", ":\ndo it", "|\ndo it"}, {"", " , do it", "|do it"},
		{"", " :) hi", "|:) hi"}, {"", ",do it", "|,do it"}, {"", "：你好", "|你好"}, {"", "，你好", "|你好"}, {"  ", "   code", "  |code"}, {"", "\n", "|\n"}, {"", "", "|"},
		{"hey ", "!", "hey|!"}, {"hey ", ", hello", "hey|, hello"}, {"hey ", " do it", "hey |do it"}, {"hey ", "", "hey |"}, {"a\n", " b", "a\n|b"},
		{"/new", " now", "/new| now"}, {"(", ")", "(|)"},
	} {
		before, after := gateway.WithoutMention(tt[0], tt[1])
		want(t, tt[0]+"@bot"+tt[1], before+"|"+after, tt[2])
	}
}
