package upstream

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/hermes-memory/hermes/internal/recovery"
)

// local looks for model servers on this machine, all at once. Of those found, the first
// in the order of preference is used.
func (c *chooser) local(ctx context.Context) (*Choice, error) {
	p := newProber()
	var ollama, llama *Choice
	var ollamaSkipped string
	var probes errgroup.Group
	probes.Go(recovery.Task(func() (err error) {
		ollama, ollamaSkipped, err = c.ollama(ctx, p)
		return err
	}))
	probes.Go(recovery.Task(func() error {
		llama = c.llama(ctx, p)
		return nil
	}))
	if err := probes.Wait(); err != nil {
		return nil, err
	}
	if ollamaSkipped != "" {
		c.skip(ollamaSkipped)
	}
	if ollama != nil {
		return ollama, nil
	}
	return llama, nil
}

// ollama is the Ollama that OLLAMA_HOST names, or the one on this machine.
func (c *chooser) ollama(ctx context.Context, p prober) (chosen *Choice, skipped string, err error) {
	base, named := "", c.env.OllamaHost != ""
	patience := probePatience
	if named {
		u, err := ollamaURL(c.env.OllamaHost)
		if err != nil {
			return nil, "", badURL("OLLAMA_HOST")
		}
		if sameAddr(u.Host, c.env.Own) {
			return nil, "OLLAMA_HOST is the address this server listens on itself", nil
		}
		if !isLoopback(u.Hostname()) {
			patience = knownPatience
		}
		base = u.String()
	} else {
		addr := addrOf(c.env.OllamaAddr, "127.0.0.1:11434", c.env.Own)
		if addr == "" {
			return nil, "", nil
		}
		base = "http://" + addr
	}
	if !p.isOllama(ctx, base, patience) {
		switch {
		case !named:
			return nil, "", nil
		case c.env.Model == "":
			return nil, "OLLAMA_HOST is set, but no Ollama answers there", nil
		}
		return c.choice(KindOllama, base+"/v1", "", c.env.Model,
			"OLLAMA_HOST is set and HERMES_MODEL names "+c.env.Model+" (it does not answer yet)"), "", nil
	}
	return c.pick(ctx, p, base, named)
}

// pick chooses a model of an Ollama that answers.
func (c *chooser) pick(ctx context.Context, p prober, base string, named bool) (chosen *Choice, skipped string, err error) {
	found := "an Ollama runs on this machine"
	if named {
		found = "OLLAMA_HOST is set"
	}
	names, err := p.ollamaModels(ctx, base)
	switch {
	case err != nil:
		return nil, found + ", but it does not list its models", nil //nolint:nilerr // the reason is told
	case c.env.Model != "" && !hasModel(names, c.env.Model):
		return nil, found + ", but it does not have " + c.env.Model + ": run `ollama pull " + c.env.Model + "`", nil
	case c.env.Model != "":
		return c.choice(KindOllama, base+"/v1", "", c.env.Model, found+" and HERMES_MODEL names "+c.env.Model), "", nil
	case len(names) == 0:
		return nil, found + ", but it has no model: run `ollama pull` with the name of one", nil
	}
	return c.choice(KindOllama, base+"/v1", "", names[0], found+" and "+names[0]+" is its newest model"), "", nil
}

// llama is a llama.cpp server on this machine.
func (c *chooser) llama(ctx context.Context, p prober) *Choice {
	addr := addrOf(c.env.LlamaAddr, "127.0.0.1:8080", c.env.Own)
	if addr == "" {
		return nil
	}
	name, err := p.llamaModel(ctx, "http://"+addr)
	if err != nil {
		return nil
	}
	if c.env.Model != "" {
		name = c.env.Model
	}
	return c.choice(KindLlama, "http://"+addr+"/v1", "", name, "a llama.cpp server runs on this machine")
}
