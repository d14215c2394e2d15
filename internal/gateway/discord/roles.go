package discord

import (
	"context"
	"sync"

	"github.com/disgoorg/disgo/rest"
)

// maxRoles bounds how many roles are remembered.
const maxRoles = 1000

// rawRole is a role of a guild. Discord makes a role of the bot's name when the bot is invited
// with permissions; its tags name the bot. People who type the bot's name are offered both.
type rawRole struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Tags struct {
		BotID string `json:"bot_id"`
	} `json:"tags"`
}

// role is what is remembered of a role.
type role struct {
	name string // may be an older one
	mine bool   // it is the bot's own, and stays so
}

// roles remembers roles of guilds.
type roles struct {
	api *api
	bot string

	mu sync.Mutex
	of map[string]role // by their ids; guarded by mu
}

func newRoles(a *api, bot string) *roles { return &roles{api: a, bot: bot, of: make(map[string]role)} }

// named are the names of mentioned roles of a guild, by their ids. Roles whose names cannot be found are left out.
func (r *roles) named(ctx context.Context, guild string, list []string) map[string]string {
	if _, unknown := r.known(list); len(unknown) > 0 {
		_, _ = r.mine(ctx, guild, unknown) // a name is worth no second try
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make(map[string]string)
	for _, id := range list {
		if one, ok := r.of[id]; ok {
			out[id] = one.name
		}
	}
	return out
}

// mine are those of the mentioned roles of a guild that are the bot's own.
func (r *roles) mine(ctx context.Context, guild string, list []string) ([]string, error) {
	own, unknown := r.known(list)
	if len(unknown) == 0 || !isID(guild) {
		return own, nil
	}
	var all []rawRole
	if err := r.api.do(ctx, rest.GetRoles.Compile(nil, guild), nil, &all); err != nil {
		return own, unlessHopeless(err)
	}
	r.learn(all)
	more, _ := r.known(unknown)
	return append(own, more...), nil
}

// known divides roles into the bot's own, others, which are left out, and unknown ones.
func (r *roles) known(list []string) (own, unknown []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range list {
		switch one, ok := r.of[id]; {
		case !ok:
			unknown = append(unknown, id)
		case one.mine:
			own = append(own, id)
		}
	}
	return own, unknown
}

// learn remembers the roles of a guild. If there are too many, all others are forgotten.
func (r *roles) learn(list []rawRole) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.of)+len(list) > maxRoles {
		clear(r.of)
	}
	for i := range list {
		r.of[list[i].ID] = role{name: list[i].Name, mine: list[i].Tags.BotID == r.bot}
	}
}
