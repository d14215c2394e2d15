package httpapi

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hermes-memory/hermes/internal/owner"
)

// pipes is a listener in a bubble, whose connections are pipes.
type pipes struct {
	conns chan net.Conn
	ended chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.ended)
	return nil
}

func (*pipes) Addr() net.Addr { return &net.TCPAddr{} }

// far is one end of a pipe, with the address it comes from.
type far struct {
	net.Conn
	from string
}

func (f far) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.ParseIP(f.from), Port: 7}
}

// dial opens a connection from an address.
func (p *pipes) dial(from string) net.Conn {
	here, there := net.Pipe()
	p.conns <- far{there, from}
	return here
}

// door is a server in a bubble, and what its handlers have read.
type door struct {
	t           *testing.T
	pipes       *pipes
	connections *Connections
	reasons     []string
	read        chan string
	hold        chan struct{} // ends the requests for /held
	end         func()
}

func newDoor(t *testing.T, limits ConnectionLimits) *door {
	t.Helper()
	d := &door{t: t, pipes: &pipes{conns: make(chan net.Conn), ended: make(chan struct{})}, read: make(chan string, 16), hold: make(chan struct{})}
	limits.Observe = func(reason string) { d.reasons = append(d.reasons, reason) }
	d.connections = NewConnections(limits)
	s := &server{Config: Config{Log: slog.New(slog.DiscardHandler)}, bodies: newBodies()}
	mux := http.NewServeMux()
	reads := func(w http.ResponseWriter, r *http.Request) error {
		body, err := readBody(r)
		if err != nil {
			return err
		}
		d.read <- string(body)
		return writeJSON(w, http.StatusOK, len(body))
	}
	mux.Handle("/open", s.wrap(route{"POST", "/open", "", reads}))
	mux.Handle("/closed", s.wrap(route{"POST", "/closed", owner.Chat, reads}))
	mux.Handle("/held", s.wrap(route{"POST", "/held", "", func(w http.ResponseWriter, r *http.Request) error {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-d.hold:
		case <-r.Context().Done():
			t.Error("a request that was only slow to be answered was ended")
		}
		return nil
	}}))
	srv := &http.Server{Handler: s.guard(mux), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	d.connections.Watch(srv)
	ended := make(chan error, 1)
	go func() { ended <- d.connections.Serve(srv, d.pipes) }()
	d.end = func() {
		close(d.hold)
		_ = srv.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
		d.connections.Wait()
		<-time.After(2 * time.Second) // net/http waits before it closes a connection, and so does send
		synctest.Wait()
		if n := d.connections.Open(); n != 0 {
			t.Errorf("%d connections are left", n)
		}
	}
	return d
}

// send writes a request piece by piece, a second apart, until it is refused.
func send(c net.Conn, head string, pieces ...string) {
	if _, err := io.WriteString(c, head); err != nil {
		return
	}
	for _, p := range pieces {
		<-time.After(time.Second)
		if _, err := io.WriteString(c, p); err != nil {
			return
		}
	}
}

func head(path string, length int) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", path, length)
}

// answer reads one answer, and whether the connection ends behind it.
func answer(t *testing.T, c net.Conn) (status int, body string, closes bool) {
	t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Errorf("read an answer: %v", err)
		return 0, "", true
	}
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text), res.Close
}

// TestSlowBodies: a body that trickles in is refused, however it is sent; one that is
// slow and makes progress is read.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	drops := func(n, size int) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = strings.Repeat("7", size)
		}
		return out
	}
	chunks := make([]string, 40)
	for i := range chunks {
		chunks[i] = "1\r\n7\r\n"
	}
	const chunked = "POST /open HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, tt := range []struct {
		name   string
		head   string
		pieces []string
		status int
	}{
		{"a byte a second of a small one", head("/open", 500), drops(40, 1), 408},
		{"a byte a second of a large one", head("/open", 100_000), drops(40, 1), 408},
		{"a kilobyte a second of a large one", head("/open", 900_000), drops(900, 1000), 408},
		{"a byte a second in chunks", chunked, chunks, 408},
		{"nothing at all", head("/open", 500), nil, 408},
		{"five kilobytes a second", head("/open", 60*5000), append([]string{"\"" + strings.Repeat("7", 4999)}, append(drops(58, 5000), strings.Repeat("7", 4999)+"\"")...), 200},
		{"a pause of nine seconds", head("/open", 3), []string{"", "", "", "", "", "", "", "", "777"}, 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDoor(t, ConnectionLimits{})
				defer d.end()
				c := d.pipes.dial("127.0.0.1")
				defer func() { _ = c.Close() }()
				go send(c, tt.head, tt.pieces...)
				status, body, closes := answer(t, c)
				if status != tt.status || closes != (tt.status == 408) {
					t.Errorf("got %d %s, closes %v, want %d", status, body, closes, tt.status)
				}
				if tt.status == 408 && !strings.Contains(body, "body_too_slow") {
					t.Errorf("got %s, want the reason", body)
				}
			})
		})
	}
}

// TestRefusedBodies: who has no key is refused before the body is read, and cannot
// keep the connection by sending it slowly.
func TestRefusedBodies(t *testing.T) {
	t.Parallel()
	for _, length := range []int{500, 100_000, 9_000_000} {
		synctest.Test(t, func(t *testing.T) {
			d := newDoor(t, ConnectionLimits{})
			defer d.end()
			c := d.pipes.dial("127.0.0.1")
			_, _ = io.WriteString(c, head("/closed", length))
			began := time.Now()
			if status, body, closes := answer(t, c); status != 401 || !closes || time.Since(began) != 0 {
				t.Errorf("got %d %s after %v, closes %v, want 401 at once and the end", status, body, time.Since(began), closes)
			}
			left := 0
			for ; left < 60; left++ { // what a client sends that does not care
				if _, err := io.WriteString(c, "7"); err != nil {
					break
				}
				<-time.After(time.Second)
			}
			if left > 5 {
				t.Errorf("the connection took %d bytes after it was refused", left)
			}
			if len(d.read) != 0 {
				t.Error("the handler was reached")
			}
		})
	}
}

// TestConnectionsGiveWay: where all places are taken, an idle connection gives way to a
// newcomer: a request that does not arrive, and a connection between two requests.
func TestConnectionsGiveWay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, sent string }{
		{"nothing", ""},
		{"half a head", "POST /open HTTP/1.1\r\nHost: loc"},
		{"half a body", head("/open", 500) + "7"},
		{"a whole request", head("/open", 1) + "7"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDoor(t, ConnectionLimits{All: 3})
				defer d.end()
				for range 3 {
					c := d.pipes.dial("127.0.0.1")
					defer func() { _ = c.Close() }()
					go func() { _, _ = io.Copy(io.Discard, c) }()
					_, _ = io.WriteString(c, tt.sent)
				}
				<-time.After(3 * time.Second)
				c := d.pipes.dial("127.0.0.1")
				defer func() { _ = c.Close() }()
				go send(c, head("/open", 1)+"7")
				if status, body, _ := answer(t, c); status != 200 {
					t.Errorf("got %d %s, want the newcomer served", status, body)
				}
				if len(d.reasons) != 1 || d.reasons[0] != "stalled" || d.connections.Open() != 3 {
					t.Errorf("got %v and %d connections, want one that gave way", d.reasons, d.connections.Open())
				}
			})
		})
	}
}

// TestConnectionsRefused: no connection that is served gives way. The newcomer is told to come
// back, and is served when there is a place; an address of another machine has a bound
// of its own, by /64 for IPv6.
func TestConnectionsRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		holders []string
		from    string
		reason  string
	}{
		{"all are taken", []string{"127.0.0.1", "127.0.0.2", "::1", "10.0.0.1"}, "10.0.0.2", "connections"},
		{"those of an address", []string{"10.0.0.1", "10.0.0.1"}, "10.0.0.1", "address"},
		{"those of a network", []string{"2001:db8::1", "2001:db8::2"}, "2001:db8::3", "address"},
		{"another address", []string{"10.0.0.1", "10.0.0.1"}, "10.0.0.2", ""},
		{"this machine", []string{"127.0.0.1", "127.0.0.1"}, "127.0.0.1", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDoor(t, ConnectionLimits{All: 4, Each: 2})
				defer d.end()
				for _, from := range tt.holders {
					c := d.pipes.dial(from)
					t.Cleanup(func() { _ = c.Close() }) // behind the end of the door: a request whose client leaves is ended
					go send(c, head("/held", 2)+"{}")
					go func() { _, _ = io.Copy(io.Discard, c) }()
				}
				<-time.After(10 * time.Minute) // long answers are no fault
				synctest.Wait()
				c := d.pipes.dial(tt.from)
				defer func() { _ = c.Close() }()
				go send(c, head("/open", 1)+"7")
				res, err := http.ReadResponse(bufio.NewReader(c), nil)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(res.Body)
				if tt.reason == "" {
					if res.StatusCode != 200 || len(d.reasons) > 0 {
						t.Errorf("got %d %s, %v, want a place", res.StatusCode, body, d.reasons)
					}
					return
				}
				if res.StatusCode != 503 || res.Header.Get("Retry-After") == "" || !strings.Contains(string(body), `"overloaded"`) {
					t.Errorf("got %d %v %s, want 503 with Retry-After", res.StatusCode, res.Header, body)
				}
				if len(d.reasons) != 1 || d.reasons[0] != tt.reason {
					t.Errorf("told %v, want %s", d.reasons, tt.reason)
				}
			})
		})
	}
}
