package discord

import (
	"encoding/json"
	"errors"
	"time"
)

// Operations of the gateway.
const (
	opEvent     = 0
	opHeartbeat = 1
	opIdentify  = 2
	opResume    = 6
	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
	opAck       = 11
)

// Events of the gateway that are read.
const (
	eventReady        = "READY"
	eventResumed      = "RESUMED"
	messageCreate     = "MESSAGE_CREATE"
	messageUpdate     = "MESSAGE_UPDATE"
	messageDelete     = "MESSAGE_DELETE"
	messageDeleteBulk = "MESSAGE_DELETE_BULK"
	interactionCreate = "INTERACTION_CREATE"
)

// intents are what the bot is told of: messages in servers and in DMs, with their content.
const intents = 1<<9 | 1<<12 | 1<<15

// frame is what comes over the gateway.
type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  int             `json:"s"`
	Name string          `json:"t"`
}

// ready is a session that has begun.
type ready struct {
	Session string `json:"session_id"`
	Resume  string `json:"resume_gateway_url"`
}

var errNoFrame = errors.New("no frame of the gateway")

// readFrame reads what came over the gateway.
func readFrame(text []byte) (*frame, error) {
	var f frame
	if json.Unmarshal(text, &f) != nil || f.Seq < 0 {
		return nil, errNoFrame
	}
	return &f, nil
}

// longestInterval bounds what is believed of an interval of heartbeats.
const longestInterval = time.Hour

// interval is how often a greeting asks for heartbeats.
func (f *frame) interval() (time.Duration, bool) {
	var hello struct {
		Interval float64 `json:"heartbeat_interval"`
	}
	if json.Unmarshal(f.Data, &hello) != nil || hello.Interval < 1 {
		return 0, false
	}
	return time.Duration(min(hello.Interval, float64(longestInterval/time.Millisecond))) * time.Millisecond, true
}

// resumable reports whether a session that Discord has ended can be resumed.
func (f *frame) resumable() bool {
	var yes bool
	return json.Unmarshal(f.Data, &yes) == nil && yes
}

// ready reads the beginning of a session; nil if it cannot be read.
func (f *frame) ready() *ready {
	var r ready
	if json.Unmarshal(f.Data, &r) != nil || r.Session == "" {
		return nil
	}
	return &r
}
