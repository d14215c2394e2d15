package gatewaytest

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// DiscordFault is what goes wrong with one request.
type DiscordFault struct {
	Delay time.Duration
	// Status answers with a page of HTML, as a proxy does; 0 does not.
	Status int
	// Code answers with an error of Discord, with status 400, or 403 and 404 where Discord
	// does so.
	Code int
	// Field is the field of the form that the error is about.
	Field string
	// RetryAfter answers with 429.
	RetryAfter time.Duration
	// Global says that the 429 is for all routes.
	Global bool
	// CutBefore breaks the connection before the request is carried out.
	CutBefore bool
	// CutAfter carries the request out, and breaks the connection before the answer.
	CutAfter bool
	// Late delays the answer to a request that was carried out.
	Late time.Duration
}

// Fault makes the next requests of a route fail, each with one of the faults. The route
// is a method and a path of one of the fake's routes, with its names: "POST
// /channels/{channel}/messages".
func (d *Discord) Fault(route string, list ...DiscordFault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults[route] = append(d.faults[route], list...)
}

// Always makes all requests of a route fail until it is set to the zero fault; "" is all
// routes.
func (d *Discord) Always(route string, f DiscordFault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f == (DiscordFault{}) {
		delete(d.always, route)
		return
	}
	d.always[route] = f
}

// Flood makes the next message or edit in a channel be told to wait.
func (d *Discord) Flood(channel string, wait time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.floods[channel] = DiscordFault{RetryAfter: wait}
}

// flood takes the flood that a request is to meet.
func (d *Discord) flood(r *discordRoute, channel string) (f DiscordFault, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, ok = d.floods[channel]; ok && r.messages {
		delete(d.floods, channel)
	}
	return f, ok && r.messages
}

// Limited is how often the fake refused a request because of the limits of rate.
func (d *Discord) Limited() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.limited
}

// fault takes the next fault of a route.
func (d *Discord) fault(route string) DiscordFault {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := d.faults[route]
	if len(list) == 0 {
		if f, ok := d.always[""]; ok {
			return f
		}
		return d.always[route]
	}
	d.faults[route] = list[1:]
	return list[0]
}

// answer is the answer of a fault that refuses the request.
func (f *DiscordFault) answer(w http.ResponseWriter) (status int, refused bool) {
	switch {
	case f.RetryAfter > 0:
		limitedAnswer(w, f.RetryAfter, f.Global)
		return http.StatusTooManyRequests, true
	case f.Code != 0:
		status := discordStatus(f.Code)
		answer := discordError{Code: f.Code, Message: "a fault"}
		if f.Field != "" {
			_, invalid := invalidForm(f.Field, "a fault")
			writeDiscord(w, status, invalid)
			return status, true
		}
		writeDiscord(w, status, answer)
		return status, true
	case f.Status != 0:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(f.Status)
		_, _ = w.Write([]byte("<html><body><h1>" + http.StatusText(f.Status) + "</h1></body></html>"))
		return f.Status, true
	}
	return 0, false
}

// discordStatus is the status that Discord sends with an error code.
func discordStatus(code int) int {
	switch {
	case code >= 10000 && code < 20000:
		return http.StatusNotFound
	case code == 50001 || code == 50007 || code == 50013:
		return http.StatusForbidden
	}
	return http.StatusBadRequest
}

func limitedAnswer(w http.ResponseWriter, after time.Duration, global bool) {
	h := w.Header()
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	if global {
		h.Set("X-RateLimit-Global", "true")
		h.Set("X-RateLimit-Scope", "global")
	} else {
		h.Set("X-RateLimit-Scope", "user")
	}
	writeDiscord(w, http.StatusTooManyRequests, map[string]any{
		"message": "You are being rate limited.", "retry_after": after.Seconds(), "global": global,
	})
}

// discordBucket counts the requests of a route and a channel.
type discordBucket struct {
	limit, left int
	reset       time.Time
}

const discordWindow = 5 * time.Second

// count counts a request, and writes the headers of its bucket. It reports for how long
// the bucket is empty.
func (d *Discord) count(w http.ResponseWriter, r *discordRoute, q *http.Request) (after time.Duration, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	limit := r.limit
	if r.messages {
		limit = d.o.Messages
	}
	w.Header().Set("Via", "1.1 google")
	if limit <= 0 {
		return 0, true
	}
	name := r.route + ":" + q.PathValue("channel")
	now := d.Now()
	b := d.buckets[name]
	if b == nil || !now.Before(b.reset) {
		b = &discordBucket{limit: limit, left: limit, reset: now.Add(discordWindow)}
		d.buckets[name] = b
	}
	after = b.reset.Sub(now)
	if ok = b.left > 0; !ok {
		d.limited++
	}
	b.left = max(0, b.left-1)
	h := w.Header()
	h.Set("X-RateLimit-Bucket", strings.Map(bucketSign, name))
	h.Set("X-RateLimit-Limit", strconv.Itoa(b.limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(b.left))
	h.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(b.reset.UnixMilli())/1000, 'f', 3, 64))
	h.Set("X-RateLimit-Reset-After", strconv.FormatFloat(after.Seconds(), 'f', 3, 64))
	return after, ok
}

// restName names what a wait is for: a route and a channel, or all.
func restName(r *discordRoute, q *http.Request, global bool) string {
	if global {
		return ""
	}
	return r.route + ":" + q.PathValue("channel")
}

// rest notes the wait that an answer asks for.
func (d *Discord) rest(r *discordRoute, q *http.Request, f *DiscordFault) {
	if f.RetryAfter <= 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	// A wait that has nearly ended has ended: clocks differ.
	d.rests[restName(r, q, f.Global)] = d.Now().Add(f.RetryAfter - 5*time.Millisecond)
}

// rested records a request within a wait that the fake asked for.
func (d *Discord) rested(r *discordRoute, q *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.Now()
	if d.rests[restName(r, q, false)].After(now) || !r.open && d.rests[""].After(now) {
		d.breaks("%s was requested within a wait", r.route)
	}
}

func bucketSign(r rune) rune {
	if r == ' ' || r == '/' || r == '{' || r == '}' {
		return '-'
	}
	return r
}
