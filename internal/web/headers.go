package web

import (
	"net/http"
	"strings"
	"sync"
)

// Policy is the Content-Security-Policy of the page: its own scripts, style, images and
// requests, and nothing else. Text never becomes a script.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
	"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// permissions is the Permissions-Policy of the page, which needs no feature of a browser.
var permissions = sync.OnceValue(func() string {
	off := strings.Fields("accelerometer autoplay browsing-topics camera display-capture encrypted-media " +
		"fullscreen gamepad geolocation gyroscope hid identity-credentials-get idle-detection local-fonts magnetometer microphone midi " +
		"otp-credentials payment picture-in-picture publickey-credentials-create publickey-credentials-get screen-wake-lock serial " +
		"storage-access usb window-management xr-spatial-tracking")
	for i, name := range off {
		off[i] = name + "=()"
	}
	return strings.Join(off, ", ")
})

// setHeaders sets the headers of every file. There is no Cross-Origin-Opener-Policy: with
// it, browsers show the page in a new process, 200 ms later, and an opener of the page can
// do nothing with it.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", Policy)
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", permissions())
}
