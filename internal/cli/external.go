package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/provider"
	"github.com/hermes-memory/hermes/internal/provider/graphiti"
	"github.com/hermes-memory/hermes/internal/provider/honcho"
	httpprovider "github.com/hermes-memory/hermes/internal/provider/http"
	"github.com/hermes-memory/hermes/internal/provider/mem0"
	"github.com/hermes-memory/hermes/internal/provider/supermemory"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// setProvider makes what looks after the external memory provider, if one is configured.
// Without one it only knows what an earlier one still has to forget.
func (s *server) setProvider(ctx context.Context) error {
	set := &s.cfg.MemoryProvider
	external, place, err := openProvider(set)
	if err != nil {
		return err
	}
	home, err := s.db.ProviderHome(ctx, place)
	if err != nil {
		return err
	}
	s.external = provider.New(provider.Parts{
		Config: provider.Config{
			ID: place, Home: home, Type: set.Type, Owners: set.Owners, UserOnly: set.Send == "user", Wait: set.Wait, Peer: set.Peer,
		},
		Provider: external, Names: s.db, Tellings: s.db, Debts: s.db, Queue: s.told, Sessions: s.told, List: s.owners, Now: s.now, Log: s.log,
	})
	return nil
}

// openProvider makes the configured provider, and names it by its type and its place; nil
// for none.
func openProvider(set *config.MemoryProvider) (p run.Provider, place string, err error) {
	url := set.URL
	switch set.Type {
	case "":
		return nil, "", nil
	case "http":
		p, err = httpprovider.New(url, set.Key)
	case "honcho":
		url = honcho.BaseURL(url)
		p, err = honcho.New(url, set.Key, set.Peer != "")
	case "mem0":
		url = cmp.Or(url, mem0.DefaultURL)
		p, err = mem0.New(url, set.Key)
	case "graphiti":
		p, err = graphiti.New(url, set.Key)
	case "supermemory":
		url = cmp.Or(url, supermemory.DefaultURL)
		p, err = supermemory.New(url, set.Key)
	default:
		err = fmt.Errorf("memory_provider.type: there is no %q", set.Type)
	}
	return p, set.Type + "@" + provider.Host(url), err
}

// asked is the external memory that turns ask; nil for none.
func (s *server) asked() run.External {
	if s.external.Provider == nil {
		return nil
	}
	return s.external
}

// wakeAll is called with each lineage in which a message was stored; nil if nothing works
// after the turns.
func (s *server) wakeAll(studies bool) func(owner.Owner, session.ID) {
	study := func(o owner.Owner, root session.ID) { s.study.Wake(o, root) }
	switch {
	case s.external.Provider == nil && !studies:
		return nil
	case s.external.Provider == nil:
		return study
	case !studies:
		return s.external.Wake
	}
	return func(o owner.Owner, root session.ID) {
		study(o, root)
		s.external.Wake(o, root)
	}
}

// examineProvider says what is known of the external memory provider, without asking it.
func examineProvider(cfg *config.Config) []finding {
	set := &cfg.MemoryProvider
	if set.Type == "" {
		return nil
	}
	says := fmt.Sprintf("%s at %s is told what %v say", set.Type, cmp.Or(set.URL, "its own service"), set.Owners)
	return []finding{{"memory provider", fine, says + "; `hermes provider test` asks it", ""}}
}
