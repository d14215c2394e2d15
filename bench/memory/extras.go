package main

import (
	"context"
	"fmt"
	"io"
)

// extra is a row that is not measured on lives alone. value is "not measured" without its
// data, or if it takes too long for a quick report.
type extra struct {
	id, name, aim, value string
	left                 string // with what is measured left out of fitting
}

const (
	// generatedConversations of generatedSize messages are searched for facts that were
	// never said: 100,000 messages.
	generatedConversations, generatedSize = 20, 5000
	// casualMessages and casualRoom are the size of the casual conversation, and the room
	// of its block in tokens.
	casualMessages, casualRoom = 1000, 2000
)

// extras measures the rows.
func (r *reporter) extras(ctx context.Context, lives []life) ([]extra, error) {
	own, err := unspokenOwn()
	if err != nil {
		return nil, err
	}
	out := []extra{{id: "U8", name: "facts that are no substring of their message: the project's rounds", aim: "0", value: own.cell()}}
	out = append(out, r.generated())
	found, err := r.locomoRows()
	if err != nil {
		return nil, err
	}
	out = append(out, found...)
	kept, err := r.casualRows()
	if err != nil {
		return nil, err
	}
	out = append(out, kept...)
	crowded, err := r.crowdRows(ctx, lives)
	return append(out, crowded...), err
}

func (r *reporter) generated() extra {
	row := extra{id: "U8", name: "facts that are no substring of their message: 100,000 generated messages", aim: "0", value: unmeasured}
	if !r.quick {
		r.step("100,000 generated messages")
		row.value = unspokenGenerated(generatedConversations, generatedSize).cell()
	}
	return row
}

// locomoRows is what the search finds for LoCoMo, with the weights in use and with weights
// that were fitted to the other conversations.
func (r *reporter) locomoRows() ([]extra, error) {
	all := extra{id: "U9", name: "LoCoMo R@10", aim: "85 %", value: unmeasured, left: unmeasured}
	multi := extra{id: "U9", name: "LoCoMo R@10, multi-hop", aim: "62 %", value: unmeasured, left: unmeasured}
	if r.locomo == "" {
		return []extra{all, multi}, nil
	}
	conversations, err := load(r.locomo)
	if err != nil {
		return nil, err
	}
	count, err := counter()
	if err != nil {
		return nil, err
	}
	r.step("LoCoMo")
	found := newReport()
	for i := range conversations {
		found.merge(search(&conversations[i], new(meanings), count, io.Discard, false))
	}
	all.value, multi.value = found.of(recallAt10, answerable()...).percent(), found.of(recallAt10, multiHop).percent()
	if !r.quick {
		t := gather(conversations)
		left := t.leaveEachOut(conversations, t, t.learn, count)
		all.left, multi.left = left.of(recallAt10, answerable()...).percent(), left.of(recallAt10, multiHop).percent()
	}
	return []extra{all, multi}, nil
}

// casualRows is what the block keeps of a conversation in casual words.
func (r *reporter) casualRows() ([]extra, error) {
	count, err := counter()
	if err != nil {
		return nil, err
	}
	r.step("retention in casual words")
	kept := casualRetention(casualMessages, casualRoom, count)
	all := kept.of(retained, sorts...)
	return []extra{
		{id: "U10", name: "retention, casual words, 1,000 messages, 2,000 tokens", aim: "60 %",
			value: fmt.Sprintf("%s; %d fit", all.cell(), kept.fits)},
		{name: "retention: updates of which an old value is shown as current", value: kept.of(stale, "update").cell()},
		{name: "retention: noise in the block", value: kept.of(asserted, distractors...).cell()},
	}, nil
}

// crowdRows is what stands in prompts of one long conversation.
func (r *reporter) crowdRows(ctx context.Context, lives []life) ([]extra, error) {
	var kept tally
	if !r.quick {
		r.step("one conversation of %d messages", crowdSize)
		var err error
		if kept, err = crowdFigures(ctx, lives); err != nil {
			return nil, err
		}
	}
	cell := func(measure, kind string) string {
		if f := kept.of(measure, kind); f.of > 0 {
			return f.cell()
		}
		return unmeasured
	}
	return []extra{
		{id: "U11", name: "evidence in the prompt: 8,000 tokens, 3,300 messages", aim: "90 %", value: cell(found8000, told)},
		{id: "U11", name: "tokens of quotes that are chit-chat", aim: "≤ 10 %", value: cell(classChat, quotedTokens)},
		{name: "tokens of quotes that are replies", value: cell(classReply, quotedTokens)},
	}, nil
}
