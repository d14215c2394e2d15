// Command torture does to a server what the world will do to it, again and again,
// and counts what became of what it had acknowledged. Each rig is one fault; it is
// first seen to fail against a server that was built without the protection in
// question, for a rig that cannot fail shows nothing. It prints a table, and exits
// with 1 when a figure was missed.
//
// It is a module of its own, so that what it needs is no dependency of the program:
//
//	go build -o bin/hermes ./cmd/hermes && go build -C bench/torture -o ../../bin/torture .
//	bin/torture -hermes bin/hermes -only kill -rounds 20
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

// rigs are all there are, in the order of the table.
var rigs = []rig{killRig, powerRig, strayRig, upstreamRig, cutRig, retryRig, turnsRig, compressRig, overloadRig, fullRig, diskRig, indexRig,
	drainRig, streamsRig, slowRig, runsRig, bombsRig, secretsRig, revokeRig, oracleRig, pathsRig, piecesRig, pieceRotRig, pieceForgetRig,
	chatsRig, chatKillRig, chatCommandRig, chatStopRig, chatApprovalRig, transcriptsRig, paceRig, outagesRig, weatherRig, restingRig,
	nodesRig, nodePoolRig, nodeKillRig, nodeFreezeRig, nodeClocksRig, nodeNewsRig}

func main() {
	hermes := flag.String("hermes", "bin/hermes", "the program")
	only := flag.String("only", "", "the rigs to run, by name, with commas between")
	rounds := flag.Int("rounds", 0, "how often; 0 is each rig's own number")
	proof := flag.Bool("proof", true, "see each rig fail first, against a server without the protection")
	over := flag.Duration("over", 0, "how long overload stays over capacity, in one piece; 0 goes to and fro")
	chats := flag.Int("chats", 5, "how many chats each platform has in the rig pace")
	logs := flag.String("logs", "", "a directory for the logs of servers in which something was missed; for the rigs of chat platforms and of several nodes")
	flag.Parse()
	b := &bench{hermes: *hermes, over: *over, chats: *chats, logs: *logs}
	if err := torture(context.Background(), b, *only, *rounds, *proof); err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

// torture runs the rigs and prints the table.
func torture(ctx context.Context, b *bench, only string, rounds int, proof bool) (err error) {
	if b.dir, err = os.MkdirTemp("", "torture"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(b.dir) }()
	var lines []string
	missed := 0
	for _, r := range rigs {
		if !r.wanted(only) {
			continue
		}
		line, ok := b.try(ctx, r, rounds, proof)
		if !ok {
			missed++
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return fmt.Errorf("there is no rig %q", only)
	}
	fmt.Println("| rig | fault | done | wanted | got | |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, line := range lines {
		fmt.Println(line)
	}
	if missed > 0 {
		return errors.New("not everything held")
	}
	return nil
}

// try runs one rig, and makes its line of the table.
func (b *bench) try(ctx context.Context, r rig, rounds int, proof bool) (line string, ok bool) {
	began := time.Now()
	cells := []string{r.name, r.fault, "", r.want, "", "pass"}
	got, err := b.both(ctx, r, rounds, proof)
	switch {
	case err != nil:
		cells[4], cells[5] = "not run: "+err.Error(), "**miss**"
	case len(got.misses) > 0:
		cells[5] = "**miss**: " + got.missed()
	}
	if got != nil {
		cells[2], cells[4] = fmt.Sprintf("%s, in %s", got.done, time.Since(began).Round(time.Second)), got.figure
	}
	line = "| " + strings.Join(cells, " | ") + " |"
	b.say("%s", line)
	return line, cells[5] == "pass"
}

// both runs a rig without its protection, if it can, and then against the program.
func (b *bench) both(ctx context.Context, r rig, rounds int, proof bool) (*tally, error) {
	if rounds == 0 {
		rounds = r.rounds
	}
	without := ""
	if proof && r.bare != nil {
		b.say("%s: building a server without the protection", r.name)
		binary, err := b.build(ctx, r.name, append(r.bare, r.fitted...))
		if err != nil {
			return nil, err
		}
		got, err := r.run(ctx, &bench{hermes: binary, dir: b.dir, bare: true, chats: b.chats, logs: b.logs}, min(rounds, r.bareRounds))
		if err != nil {
			return nil, fmt.Errorf("without the protection: %w", err)
		}
		if len(got.misses) == 0 {
			return nil, fmt.Errorf("the rig shows nothing: without the protection it passed with %s", got.figure)
		}
		without = "; without (" + r.off + "): " + got.figure
		b.say("%s: without the protection, as it should: %s (%s)", r.name, got.figure, strings.Join(got.misses[:min(len(got.misses), 3)], "; "))
	}
	subject := b
	if r.fitted != nil {
		binary, err := b.build(ctx, r.name+"-fitted", r.fitted)
		if err != nil {
			return nil, err
		}
		subject = &bench{hermes: binary, dir: b.dir, chats: b.chats, logs: b.logs}
	}
	got, err := r.run(ctx, subject, rounds)
	if err != nil {
		return nil, err
	}
	got.figure += without
	return got, nil
}
