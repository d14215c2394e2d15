package whatsapp_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/gateway"
	"github.com/hermes-memory/hermes/internal/gateway/gatewaytest"
	"github.com/hermes-memory/hermes/internal/gateway/whatsapp"
)

// The abilities of the adapter.
var (
	_ gateway.Adapter  = (*whatsapp.Adapter)(nil)
	_ gateway.Finder   = (*whatsapp.Adapter)(nil)
	_ gateway.Opener   = (*whatsapp.Adapter)(nil)
	_ gateway.Checker  = (*whatsapp.Adapter)(nil)
	_ gateway.Reporter = (*whatsapp.Adapter)(nil)
)

// TestSignals: marks are reactions, and typing is the mark of reading.
func TestSignals(t *testing.T) {
	t.Parallel()
	s, a, _, o := talk(t, gatewaytest.WhatsAppOptions{}, dm("hello"))
	for _, mark := range []gateway.Mark{gateway.Typing, gateway.Waits, gateway.Works, gateway.Broke, gateway.Clear} {
		if err := a.Signal(t.Context(), o.Place, o.ReplyTo, mark); err != nil {
			t.Errorf("mark %d: %v", mark, err)
		}
	}
	var got []string
	for _, signal := range s.Signals() {
		if signal.Message != string(o.ReplyTo) {
			t.Errorf("got a mark on %s", signal.Message)
		}
		got = append(got, signal.Sign)
	}
	if want := []string{"typing", "⏳", "👀", "❌", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := a.Signal(t.Context(), o.Place, "", gateway.Works); err == nil {
		t.Error("a mark on no message: got no error")
	}
}

// TestCheck: who the number is, and what is missing.
func TestCheck(t *testing.T) {
	t.Parallel()
	template := whatsapp.Template{Name: gatewaytest.WhatsAppTemplate}
	for name, tt := range map[string]struct {
		o        gatewaytest.WhatsAppOptions
		template whatsapp.Template
		missing  []string // a part of each
	}{
		"all":         {gatewaytest.WhatsAppOptions{}, template, nil},
		"no template": {gatewaytest.WhatsAppOptions{}, whatsapp.Template{}, []string{"template.name"}},
		"bad quality": {gatewaytest.WhatsAppOptions{Quality: "RED"}, template, []string{"quality"}},
		"permissions": {gatewaytest.WhatsAppOptions{Permissions: []string{"public_profile"}}, template, []string{"_messaging", "_management"}},
	} {
		s := gatewaytest.NewWhatsApp(t, tt.o)
		c, err := adapter(t, s, whatsapp.Config{Template: tt.template}).Check(t.Context())
		if err != nil || c.Account != gatewaytest.WhatsAppPhoneID || !strings.HasPrefix(c.Name, gatewaytest.WhatsAppName) || !strings.Contains(c.Name, "quality") {
			t.Errorf("%s: got %+v, %v", name, c, err)
		}
		if len(c.Missing) != len(tt.missing) {
			t.Errorf("%s: got %q, want %q", name, c.Missing, tt.missing)
			continue
		}
		for i, part := range tt.missing {
			if !strings.Contains(c.Missing[i], part) {
				t.Errorf("%s: got %q, want %q in it", name, c.Missing[i], part)
			}
		}
	}
	s := gatewaytest.NewWhatsApp(t, gatewaytest.WhatsAppOptions{})
	s.Script("permissions", gatewaytest.WhatsAppStep{Code: 100})
	if c, err := adapter(t, s, whatsapp.Config{Template: template}).Check(t.Context()); err != nil || len(c.Missing) != 0 {
		t.Errorf("permissions that are not told: got %q, %v", c.Missing, err)
	}
}

// TestCheckFails: a check that fails says whether the token, the number's id, WhatsApp or the way to
// it is at fault, and what to do.
func TestCheckFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		step gatewaytest.WhatsAppStep
		kind fault.Kind
		says string
	}{
		"a refused token":   {gatewaytest.WhatsAppStep{Code: 190}, fault.Unauthenticated, "WHATSAPP_CLOUD_ACCESS_TOKEN"},
		"the number itself": {gatewaytest.WhatsAppStep{Code: 100}, fault.Invalid, "WHATSAPP_CLOUD_PHONE_NUMBER_ID"},
		"a failure":         {gatewaytest.WhatsAppStep{Code: 131000}, fault.Unavailable, "code 131000"},
		"a page":            {gatewaytest.WhatsAppStep{Page: true, Status: 502}, fault.Unavailable, "status 502"},
		"a broken answer":   {gatewaytest.WhatsAppStep{Cut: true}, fault.Unavailable, "HTTPS_PROXY"},
	} {
		s := gatewaytest.NewWhatsApp(t, gatewaytest.WhatsAppOptions{})
		s.Script("phone", tt.step)
		_, err := adapter(t, s, whatsapp.Config{}).Check(t.Context())
		if fault.KindOf(err) != tt.kind || !strings.Contains(fault.MessageOf(err), tt.says) {
			t.Errorf("%s: got %q (%s), want %q", name, fault.MessageOf(err), fault.KindOf(err), tt.says)
		}
	}
}

// TestFetchHosts: the token goes to Meta's servers only, over https.
func TestFetchHosts(t *testing.T) {
	t.Parallel()
	var file atomic.Value
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/v"):
			_, _ = io.WriteString(w, `{"url":"`+file.Load().(string)+`"}`)
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		case r.URL.Path == "/elsewhere":
			t.Error("the redirect was followed")
		default:
			_, _ = io.WriteString(w, "content")
		}
	}))
	t.Cleanup(api.Close)
	asked := make(chan string, 100)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	cfg := config()
	cfg.API, cfg.HTTP = api.URL, &http.Client{Transport: watched{api.Listener.Addr().String(), transport, asked}}
	a, err := whatsapp.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	fetch := func(url string) error {
		file.Store(url)
		r, err := a.Fetch(t.Context(), gateway.FileRef{Ref: "55"})
		if err == nil {
			_ = r.Close()
		}
		return err
	}
	if err := fetch(api.URL + "/good"); err != nil {
		t.Errorf("the configured server: %v", err)
	}
	for _, good := range []string{"https://lookaside.fbsbx.com/x?y=1", "https://mmg.whatsapp.net/x", "https://scontent.fbcdn.net:443/x"} {
		if err := fetch(good); fault.CodeOf(err) == "invalid_file_url" || len(asked) != 1 {
			t.Errorf("%s: got %v, want a request", good, err)
		}
		<-asked
	}
	for _, bad := range []string{
		"", "http://lookaside.fbsbx.com/x", "https://evil.example/x", "https://lookaside.fbsbx.com.evil.example/x", "https://evillookaside.fbsbx.com/x",
		"https://lookaside.fbsbx.com@evil.example/x", "https://u:p@lookaside.fbsbx.com/x", "https://notwhatsapp.net/x", "https://lookaside.fbsbx.com:8443/x",
		"file:///etc/passwd", "//lookaside.fbsbx.com/x", "https://127.0.0.1/x", "ftp://lookaside.fbsbx.com/",
	} {
		if err := fetch(bad); fault.CodeOf(err) != "invalid_file_url" {
			t.Errorf("%s: got %v, want it refused", bad, err)
		}
	}
	if len(asked) != 0 {
		t.Errorf("a request went to %s", <-asked)
	}
	if err := fetch(api.URL + "/moved"); err == nil || strings.Contains(err.Error(), gatewaytest.WhatsAppToken) {
		t.Errorf("a redirect: got %v, want an error without the token", err)
	}
	for _, ref := range []string{"", "../me", "5?x=1", "a/b"} {
		if _, err := a.Fetch(t.Context(), gateway.FileRef{Ref: ref}); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%q: got %v", ref, err)
		}
	}
}

// watched is a transport that answers 404 for all servers but one, and tells of them.
type watched struct {
	own   string
	next  http.RoundTripper
	asked chan<- string
}

// RoundTrip passes a request on.
func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == w.own {
		return w.next.RoundTrip(r)
	}
	w.asked <- r.URL.Host
	return &http.Response{StatusCode: http.StatusNotFound, Body: io.NopCloser(bytes.NewReader(nil)), Request: r}, nil
}

// TestFetchLimits: a file over 20 MB, one that is not there any more, and an old address.
func TestFetchLimits(t *testing.T) {
	t.Parallel()
	size, told := 3, 0
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v") {
			_, _ = io.WriteString(w, `{"url":"http://`+r.Host+`/f","file_size":`+strings.Repeat("9", told)+`0}`)
			return
		}
		for range size { // in chunks, without a length
			_, _ = w.Write(make([]byte, 1<<20))
		}
	}))
	t.Cleanup(api.Close)
	a := plain(t, api.URL)
	fetch := func() (int, error) {
		r, err := a.Fetch(t.Context(), gateway.FileRef{Ref: "5"})
		if err != nil {
			return 0, err
		}
		defer func() { _ = r.Close() }()
		data, err := io.ReadAll(r)
		return len(data), err
	}
	if n, err := fetch(); err != nil || n != 3<<20 {
		t.Errorf("got %d bytes, %v", n, err)
	}
	size = 21
	if _, err := fetch(); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("21 MiB: got %v", err)
	}
	told = 9
	if _, err := fetch(); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("a file that WhatsApp calls too large: got %v", err)
	}
}

// TestFetchLater: the address of a file is asked for each time, since it is good for five
// minutes only.
func TestFetchLater(t *testing.T) {
	t.Parallel()
	var moved atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(moved.Load())) }
	act := dm("look")
	act.File = &gateway.File{Name: "a.txt", Data: []byte("content")}
	s, a, ledger, _ := talk(t, gatewaytest.WhatsAppOptions{Now: now}, act)
	ref := ledger.Events()[0].Files[0]
	for range 2 {
		r, err := a.Fetch(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		_ = r.Close()
		if err != nil || string(data) != "content" {
			t.Errorf("got %q, %v", data, err)
		}
		moved.Add(int64(time.Hour))
	}
	if got := len(s.Requests("media")); got != 2 {
		t.Errorf("got %d requests for the address, want 2", got)
	}
}
