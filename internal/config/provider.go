package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// MemoryProvider is an external memory in addition to our own.
type MemoryProvider struct {
	Type   string // one of ProviderTypes; "" for none
	URL    string // "" for the provider's own service
	Key    string
	Owners []string // whose conversations it is told; "*" stands for all
	Send   string   // all, or user: no answers
	Wait   time.Duration
	Peer   string // the peer of all users; "" for one per place
}

// ProviderTypes are the external memories that are known.
func ProviderTypes() []string { return []string{"http", "honcho", "mem0", "graphiti", "supermemory"} }

const providerSection = "memory_provider"

func providerSettings() []setting {
	return []setting{
		choice(providerSection+".type", "HERMES_MEMORY_PROVIDER", "",
			"an external memory that is told what is said: "+strings.Join(ProviderTypes(), ", ")+"; empty: none; see docs/providers.md",
			func(c *Config) *string { return &c.MemoryProvider.Type }, append([]string{""}, ProviderTypes()...)...),
		text(providerSection+".url", "HERMES_MEMORY_PROVIDER_URL", "", "where it is; empty: the provider's own service",
			func(c *Config) *string { return &c.MemoryProvider.URL }),
		text(providerSection+".key", "HERMES_MEMORY_PROVIDER_KEY", "", "its key",
			func(c *Config) *string { return &c.MemoryProvider.Key }).hidden(),
		list(providerSection+".owners", "", "owners whose conversations it is told; * for all",
			func(c *Config) *[]string { return &c.MemoryProvider.Owners }),
		choice(providerSection+".send", "", "", "all: what users and assistants say; user: no answers",
			func(c *Config) *string { return &c.MemoryProvider.Send }, "all", "user"),
		duration(providerSection+".wait", "", "", "how long a turn waits for its answer; 0: it is told, and not asked",
			func(c *Config) *time.Duration { return &c.MemoryProvider.Wait }),
		text(providerSection+".peer", "", "", "one peer of Honcho for all users, who then share what it concludes; empty: one for each session key",
			func(c *Config) *string { return &c.MemoryProvider.Peer }),
	}
}

// fromHoncho takes Honcho's own variables of the environment, which count only with its
// type. Our own win.
func (c *Config) fromHoncho(src Source) error {
	if c.MemoryProvider.Type != "honcho" {
		return nil
	}
	for name, env := range map[string]string{"key": "HONCHO_API_KEY", "url": "HONCHO_BASE_URL"} {
		s, _ := find(providerSection + "." + name)
		v := src.Getenv(env)
		if v == "" || strings.HasPrefix(c.origins[s.name], "environment ") {
			continue
		}
		if name == "url" {
			v = strings.TrimSuffix(strings.TrimRight(v, "/"), "/v3")
		}
		if err := c.set(s, v, "environment "+env); err != nil {
			return err
		}
	}
	return nil
}

// peerName is the form of a peer's name, which has at most longestPeer characters.
var peerName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

const longestPeer = 512

// checkProvider refuses an incomplete provider.
func (c *Config) checkProvider() error {
	p := &c.MemoryProvider
	if p.Type == "" {
		return nil
	}
	if p.URL == "" && slices.Contains([]string{"http", "graphiti"}, p.Type) {
		return fmt.Errorf("%s.url: a provider of the type %q needs a URL", providerSection, p.Type)
	}
	if len(p.Owners) == 0 {
		return errors.New(providerSection + ".owners: name an owner, or leave it out for the local owner")
	}
	if p.Peer == "" {
		return nil
	}
	if p.Type != "honcho" {
		return errors.New(providerSection + ".peer: only Honcho has peers")
	}
	if len(p.Peer) > longestPeer || !peerName.MatchString(p.Peer) {
		return errors.New(providerSection + ".peer: use at most 512 letters, digits, hyphens and underscores")
	}
	return nil
}
