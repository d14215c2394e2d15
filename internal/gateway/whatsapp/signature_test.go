package whatsapp

import (
	"strings"
	"testing"
)

// signer is an adapter with an app secret.
func signer(t *testing.T, secret string) *Adapter {
	t.Helper()
	a, err := New(Config{PhoneNumberID: "1", AccessToken: "t", AppSecret: secret, VerifyToken: "v"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestGoldenSignatures: the signatures of others are right here, too. The first is test case
// 2 of RFC 4231, the second is in many books.
func TestGoldenSignatures(t *testing.T) {
	t.Parallel()
	for _, v := range []struct{ secret, body, hex string }{
		{"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
		{"key", "The quick brown fox jumps over the lazy dog", "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"},
	} {
		a, body := signer(t, v.secret), []byte(v.body)
		if !a.signed(body, "sha256="+v.hex) {
			t.Errorf("%q: the right signature was refused", v.body)
		}
		for what, signature := range map[string]string{
			"none": "", "without a name": v.hex, "upper case": "sha256=" + strings.ToUpper(v.hex), "SHA-1": "sha1=" + v.hex,
			"a blank": "sha256= " + v.hex, "a prefix": "sha256=" + v.hex[:62], "more": "sha256=" + v.hex + "00", "two": "sha256=" + v.hex + ",sha256=" + v.hex,
		} {
			if a.signed(body, signature) {
				t.Errorf("%q: %s was taken", v.body, what)
			}
		}
		if signer(t, v.secret+" ").signed(body, "sha256="+v.hex) {
			t.Errorf("%q: the signature of another secret was taken", v.body)
		}
	}
}

// TestFlippedBits: of the bits of a body and its signature, none can be another one.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	const hex = "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"
	const text = "The quick brown fox jumps over the lazy dog"
	a, flips, taken := signer(t, "key"), 0, 0
	flip := func(s string, bit int) string {
		b := []byte(s)
		b[bit/8] ^= 1 << (bit % 8)
		return string(b)
	}
	signature := "sha256=" + hex
	for first := range 8 * len(signature) {
		flips++
		if a.signed([]byte(text), flip(signature, first)) {
			taken++
		}
		for second := first + 1; second < min(first+17, 8*len(signature)); second++ {
			flips++
			if a.signed([]byte(text), flip(flip(signature, first), second)) {
				taken++
			}
		}
	}
	for bit := range 8 * len(text) {
		for other := range 8 {
			flips++
			body := flip(text, bit)
			if other > 0 {
				body = flip(body, (bit+other*13)%(8*len(text)))
			}
			if a.signed([]byte(body), signature) {
				taken++
			}
		}
	}
	t.Logf("%d flips, %d taken", flips, taken)
	if flips < 10_000 || taken != 0 {
		t.Errorf("got %d of %d flips taken, want none of at least 10,000", taken, flips)
	}
}
