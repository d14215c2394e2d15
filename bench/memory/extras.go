package main

import (
	"context"
	"fmt"
	"io"
)

// extra is a row that is not measured on lives alone. value is "not measured" without its
// data, or if it takes too long for a quick report.
type extra struct{ id, name, aim, value string }

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
	out := []extra{{"U8", "facts that are no substring of their message: the project's rounds", "0", own.cell()}}
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
	row := extra{"U8", "facts that are no substring of their message: 100,000 generated messages", "0", unmeasured}
	if !r.quick {
		r.step("100,000 generated messages")
		row.value = unspokenGenerated(generatedConversations, generatedSize).cell()
	}
	return row
}

// locomoRows is what the search finds for LoCoMo, with the weights in use.
func (r *reporter) locomoRows() ([]extra, error) {
	all, multi := unmeasured, unmeasured
	if r.locomo != "" {
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
		all, multi = found.of(recallAt10, answerable()...).percent(), found.of(recallAt10, multiHop).percent()
	}
	return []extra{{"U9", "LoCoMo R@10, weights in use", "85 %", all}, {"U9", "LoCoMo R@10, weights in use, multi-hop", "62 %", multi}}, nil
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
		{"U10", "retention, casual words, 1,000 messages, 2,000 tokens", "60 %", fmt.Sprintf("%s; %d fit", all.cell(), kept.fits)},
		{"", "retention: updates of which an old value is shown as current", "", kept.of(stale, "update").cell()},
		{"", "retention: noise in the block", "", kept.of(asserted, distractors...).cell()},
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
		{"U11", "evidence in the prompt: 8,000 tokens, 3,300 messages", "90 %", cell(found8000, told)},
		{"U11", "tokens of quotes that are chit-chat", "≤ 10 %", cell(classChat, quotedTokens)},
		{"", "tokens of quotes that are replies", "", cell(classReply, quotedTokens)},
	}, nil
}
