package telemetry

import "github.com/prometheus/client_golang/prometheus"

// sources reads the state of components when the metrics are scraped.
type sources struct{ Sources }

// level is a number that another package provides.
type level struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

func newLevel(kind prometheus.ValueType, name, help string, labels ...string) level {
	return level{prometheus.NewDesc(prefix+name, help, labels, nil), kind}
}

func (l level) send(ch chan<- prometheus.Metric, n int64, labels ...string) {
	ch <- prometheus.MustNewConstMetric(l.desc, l.kind, float64(n), labels...)
}

// levels are the metrics of sources.
type levels struct {
	lineages, running, waiting     level
	places, line                   level
	queue, unindexed               level
	fires, deliveries              level
	connected, events, sends       level
	cached, cacheLimit             level
	missed, loaded, evicted        level
	calls, extracts                level
	vectors, summaries, titlesMade level
}

func newLevels() levels {
	const up, now = prometheus.CounterValue, prometheus.GaugeValue
	return levels{
		lineages: newLevel(now, "lineages_in_memory", "Lineages that are kept in memory."),
		running:  newLevel(now, "turns_running", "Lineages in which a turn is under way."),
		waiting:  newLevel(now, "turns_waiting", "Turns in line behind another one of their lineage."),

		places: newLevel(now, "turn_places_taken", "Turns that have one of the server's places."),
		line:   newLevel(now, "turn_queue_length", "Turns that wait for a place."),

		queue:     newLevel(now, "writer_queue_operations", "Writes that wait for the writer."),
		unindexed: newLevel(now, "index_lag_messages", "Stored messages that the text index lacks."),

		fires:      newLevel(now, "job_fires_running", "Fires under way."),
		deliveries: newLevel(now, "job_deliveries_running", "Deliveries under way."),

		connected: newLevel(now, "platform_connected", "Whether a bot is connected to its platform: 1 or 0.", "platform"),
		events:    newLevel(now, "platform_waiting_events", "Messages and commands of people that are not answered yet.", "platform"),
		sends:     newLevel(now, "platform_waiting_messages", "Messages to people that are not sent yet.", "platform"),

		cached:     newLevel(now, "memory_cache_bytes", "Memory that the cache of scopes takes."),
		cacheLimit: newLevel(now, "memory_cache_limit_bytes", "Memory that the cache of scopes may take."),
		missed:     newLevel(up, "memory_cache_misses_total", "Entries that were needed and not cached."),
		loaded:     newLevel(up, "memory_cache_loads_total", "Entries that were read from the store."),
		evicted:    newLevel(up, "memory_cache_evictions_total", "Entries that made room for others."),

		calls:      newLevel(up, "study_calls_total", "Background calls of models.", "outcome"),
		extracts:   newLevel(up, "study_extracts_total", "Extracts that models proposed for summaries, by whether the cited words support them.", "outcome"),
		vectors:    newLevel(up, "study_vectors_total", "Messages that were given their meaning."),
		summaries:  newLevel(up, "study_summaries_total", "Summaries that were drawn by a model."),
		titlesMade: newLevel(up, "study_titles_total", "Titles that a model gave."),
	}
}

// Describe implements prometheus.Collector.
func (s sources) Describe(ch chan<- *prometheus.Desc) {
	l := newLevels()
	for _, one := range []level{
		l.lineages, l.running, l.waiting, l.places, l.line, l.queue, l.unindexed, l.fires, l.deliveries,
		l.connected, l.events, l.sends,
		l.cached, l.cacheLimit, l.missed, l.loaded, l.evicted, l.calls, l.extracts, l.vectors, l.summaries, l.titlesMade,
	} {
		ch <- one.desc
	}
}

// Collect implements prometheus.Collector.
func (s sources) Collect(ch chan<- prometheus.Metric) {
	l := newLevels()
	if s.Runs != nil {
		load := s.Runs()
		l.lineages.send(ch, int64(load.Lineages))
		l.running.send(ch, int64(load.Turns))
		l.waiting.send(ch, int64(load.Waiting))
	}
	if s.Line != nil {
		in, waiting := s.Line()
		l.places.send(ch, int64(in))
		l.line.send(ch, int64(waiting))
	}
	if s.Store != nil {
		load := s.Store()
		l.queue.send(ch, int64(load.Queued))
		l.unindexed.send(ch, int64(load.Unindexed))
	}
	if s.Jobs != nil {
		load := s.Jobs()
		l.fires.send(ch, int64(load.Fires))
		l.deliveries.send(ch, int64(load.Deliveries))
	}
	if s.Platforms != nil {
		s.platforms(ch, &l)
	}
	if s.Cache != nil {
		c := s.Cache()
		l.cached.send(ch, c.Held)
		l.cacheLimit.send(ch, c.Limit)
		l.missed.send(ch, int64(c.Misses))
		l.loaded.send(ch, int64(c.Loads))
		l.evicted.send(ch, int64(c.Evictions))
	}
	if s.Study != nil {
		c := s.Study()
		l.calls.send(ch, c.Calls-c.Failures, "ok")
		l.calls.send(ch, c.Failures, "failed")
		l.extracts.send(ch, c.Accepted, "accepted")
		l.extracts.send(ch, c.Refused, "refused")
		l.vectors.send(ch, c.Vectors)
		l.summaries.send(ch, c.Summarized)
		l.titlesMade.send(ch, c.Titled)
	}
}

// platforms sends the state of the bots.
func (s sources) platforms(ch chan<- prometheus.Metric, l *levels) {
	for _, p := range s.Platforms() {
		var connected int64
		if p.Health.Connected() {
			connected = 1
		}
		name := string(p.Platform)
		l.connected.send(ch, connected, name)
		l.events.send(ch, int64(p.Queues.Events), name)
		l.sends.send(ch, int64(p.Queues.Sends), name)
	}
}
