package secret

import (
	"strings"
	"testing"
)

// TestMask hides what opens doors and leaves the rest as it was.
func TestMask(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"My password is hunter2.", "hunter2"},
		{"My password is Correcthorse, remember it", "Correcthorse"},
		{"The password for the router is Sesame-open!", "Sesame"},
		{"We use sk-abcdefghijklmnop1234567890 for the model.", "sk-abc"},
		{"We connect to postgres://app:s3cret@db.example.com/main in production", "s3cret"},
		{"PIN:4711 for the door", "4711"},
		{"My PIN is 4711 and my password is \"tulip99\".", "tulip99"},
		{"The client_secret: Zx81Qw92Er73", "Zx81"},
		{"-----BEGIN RSA PRIVATE KEY-----", "RSA"},
	} {
		got := Mask(c[0])
		if strings.Contains(got, c[1]) || !strings.Contains(got, hidden) {
			t.Errorf("%q: got %q", c[0], got)
		}
	}
	for _, text := range []string{"", "The password is required.", "We use Kafka: it is fast.", "Die Straße ist naß."} {
		if got := Mask(text); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}
