package slack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

// maxSkew is how far the time of a request may be from ours.
const maxSkew = 5 * time.Minute

// signed reports whether Slack signed a request with the secret within maxSkew of now. The
// library has such a check, but it takes the system's clock.
func signed(secret string, h http.Header, body []byte, now time.Time) bool {
	stamp := h.Get("X-Slack-Request-Timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > maxSkew {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + stamp + ":"))
	mac.Write(body)
	want := "v0=" + hex.EncodeToString(mac.Sum(nil))
	return secret != "" && hmac.Equal([]byte(want), []byte(h.Get("X-Slack-Signature")))
}
