package main

import (
	"bytes"
	"strings"
	"testing"
)

// small is a life with one update, one pair that is none, noise and wishes.
const smallLife = `{"scopes":[{"id":"small","messages":[
 {"id":"s1","time":"2026-01-01T09:00:00Z","role":"user","statement":true,"text":"Our queue runs on RabbitMQ."},
 {"id":"a1","time":"2026-01-01T09:01:00Z","role":"assistant","text":"Noted."},
 {"id":"s2","time":"2026-01-02T09:00:00Z","role":"user","statement":true,"text":"The staging database is MySQL 8."},
 {"id":"s3","time":"2026-01-03T09:00:00Z","role":"user","statement":true,"text":"From now on, always answer in metric units."},
 {"id":"n1","time":"2026-01-04T09:00:00Z","role":"user","text":"Our cat designed the ingress controller in 1999."},
 {"id":"s4","time":"2026-01-05T09:00:00Z","role":"user","statement":true,"text":"We moved the queue from RabbitMQ to NATS."}],
 "updates":[{"older":"s1","newer":"s4","kind":"replace","what":"queue","whole":true}],
 "not_updates":[{"a":"s2","b":"s4","why":"other-object","what":"queue and database"}],
 "questions":[
 {"id":"q1","kind":"fact","told":true,"overlap":"same","language":"en","asked_at":"2026-01-06T09:00:00Z","question":"What does our queue run on?","gold":"NATS",
  "evidence":["s4"],"stale":["s1"],"must":["nats"],"must_not":["is rabbitmq"],"quotes_stale":true},
 {"id":"q2","kind":"fact","told":false,"overlap":"none","language":"en","asked_at":"2026-01-06T09:00:00Z","question":"What is my shoe size?"}],
 "noise":[{"id":"n1","kind":"joke","hard":true}],"standing":[{"id":"s3","wish":"metric units"}]}]}`

// TestProbe measures a life whose figures are known.
func TestProbe(t *testing.T) {
	t.Parallel()
	lives, err := parseLives([]byte(smallLife))
	if err != nil {
		t.Fatal(err)
	}
	all, err := probeAll(lives)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"told: shown (sure or among the closest)":                 "1/1",
		"never told: claimed as sure":                             "0/1",
		"search, all: among the first 3":                          "1/1",
		"updates: the newer is in the block":                      "1/1",
		"updates: found":                                          "1/1",
		"updates: the older, shown before, is shown as current":   "0/1",
		"pairs that are none, taken for an update":                "0/1",
		"messages labelled noise (hard) with a fact in the state": "1/1",
		"lines of the block: stale":                               "0/",
		"lines of the block: hard noise":                          "1/",
		"standing wishes shown as such":                           "1/1",
		"facts that are no substring of their message":            "0/",
	}
	for _, m := range measures() {
		f := m.of(all)
		if w, has := want[m.name]; has && !strings.HasPrefix(f.share(), w) {
			t.Errorf("%s: got %s, want %s", m.name, f.share(), w)
		}
		delete(want, m.name)
	}
	if len(want) > 0 {
		t.Errorf("no rows: %v", want)
	}
	var out bytes.Buffer
	if err := printMissed(&out, all, "noise"); err != nil || !strings.Contains(out.String(), "hard n1") {
		t.Errorf("got %v, %s", err, out.String())
	}
}
