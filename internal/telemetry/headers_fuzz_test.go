package telemetry

import (
	"strings"
	"testing"
)

func FuzzParseHeaders(f *testing.F) {
	f.Add("a=b,c=d%20e")
	f.Add("a=%0d%0ab")
	f.Add(",=,")
	f.Fuzz(func(t *testing.T, text string) {
		headers, err := parseHeaders(text)
		for name, value := range headers {
			if err == nil && (name == "" || strings.ContainsAny(name+value, "\r\n")) {
				t.Errorf("%q gave %q: %q", text, name, value)
			}
		}
	})
}
