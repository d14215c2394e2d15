package telemetry

import (
	"math"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/protobuf/encoding/protowire"
)

// This file encodes ExportTraceServiceRequest of OTLP 1 in protobuf. The field numbers
// are those of opentelemetry/proto/trace/v1/trace.proto and its imports. Spans of one
// server share their resource and scope; they have no links or events.

// appendRequest encodes spans; there must be at least one.
func appendRequest(b []byte, spans []sdktrace.ReadOnlySpan) []byte {
	first := spans[0]
	about := attributes(nil, 1, first.Resource().Attributes())
	scope := text(text(nil, 1, first.InstrumentationScope().Name), 2, first.InstrumentationScope().Version)
	list := message(nil, 1, scope)
	for _, s := range spans {
		list = message(list, 2, appendSpan(nil, s))
	}
	return message(b, 1, message(message(nil, 1, about), 2, list))
}

func appendSpan(b []byte, s sdktrace.ReadOnlySpan) []byte {
	at := s.SpanContext()
	trace, id := at.TraceID(), at.SpanID()
	b = message(message(b, 1, trace[:]), 2, id[:])
	b = text(b, 3, at.TraceState().String())
	if parent := s.Parent().SpanID(); parent.IsValid() {
		b = message(b, 4, parent[:])
	}
	b = text(b, 5, s.Name())
	b = number(b, 6, uint64(s.SpanKind())) // the numbers are the same
	b = fixed(fixed(b, 7, nanos(s.StartTime())), 8, nanos(s.EndTime()))
	b = attributes(b, 9, s.Attributes())
	if code := s.Status().Code; code != codes.Unset {
		n := uint64(2) // failed; the numbers differ from those of package codes
		if code == codes.Ok {
			n = 1
		}
		b = message(b, 15, number(nil, 3, n))
	}
	return b
}

func nanos(t time.Time) uint64 { return uint64(t.UnixNano()) }

// attributes encodes a list of attributes as a field.
func attributes(b []byte, field protowire.Number, list []attribute.KeyValue) []byte {
	for _, kv := range list {
		b = message(b, field, message(text(nil, 1, string(kv.Key)), 2, value(kv.Value)))
	}
	return b
}

// value encodes an AnyValue. An empty text is a value too, so nothing is left out.
func value(v attribute.Value) []byte {
	switch v.Type() {
	case attribute.BOOL:
		n := uint64(0)
		if v.AsBool() {
			n = 1
		}
		return protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), n)
	case attribute.INT64:
		return protowire.AppendVarint(protowire.AppendTag(nil, 3, protowire.VarintType), uint64(v.AsInt64()))
	case attribute.FLOAT64:
		return fixed(nil, 4, math.Float64bits(v.AsFloat64()))
	case attribute.STRINGSLICE:
		var all []byte
		for _, s := range v.AsStringSlice() {
			all = message(all, 1, value(attribute.StringValue(s)))
		}
		return message(nil, 5, all)
	}
	return message(nil, 1, []byte(v.String()))
}

// message encodes bytes as a field, even if they are empty.
func message(b []byte, field protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), data)
}

func text(b []byte, field protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func number(b []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
}

func fixed(b []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), n)
}
