package gateway

import (
	"context"
	"errors"
	"fmt"

	"github.com/hermes-memory/hermes/internal/lineage"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
	"github.com/hermes-memory/hermes/internal/session"
)

// ModelSaver takes the turn in which a model saves memories and skills before a reset. The
// turn is in the transcript of the session, as an aside: memory learns only what the model
// saved with the tools, and no later prompt has the turn.
type ModelSaver struct {
	runner   *run.Runner
	sessions session.Store
	tools    []run.ToolChoice
}

var _ Saver = (*ModelSaver)(nil)

// NewSaver returns a ModelSaver whose turns may use some tools.
func NewSaver(r *run.Runner, s session.Store, tools []run.ToolChoice) *ModelSaver {
	return &ModelSaver{r, s, tools}
}

// savePrompt asks the model to save.
const savePrompt = "This conversation ends now, and a new one begins. What the user said is remembered already. " +
	"Save with the tools what else will matter later: conclusions worth keeping (memory), ways of doing something that worked (skills). " +
	"Save nothing that memory holds already, and nothing that mattered only today. If there is nothing to save, answer: nothing."

// Save implements Saver. Nothing happens without an upstream, or if the model was asked
// before and nothing was said since: the prompt in the transcript is the record of that.
func (v *ModelSaver) Save(ctx context.Context, o owner.Owner, tip session.Session) error {
	if v.runner.Responder() != lineage.ByUpstream {
		return nil
	}
	if asked, err := v.asked(ctx, o, &tip); err != nil || asked {
		return err
	}
	s, err := v.runner.Start(ctx, &run.Request{
		Owner: o, Session: tip.ID, Source: tip.Source, UserID: tip.UserID, Fresh: true, NoFallback: true,
		Messages: []session.Message{{Role: session.User, Content: savePrompt, Note: session.AsideNote}},
		Only:     v.tools,
	})
	if err != nil {
		return err
	}
	for _, wrong := range s.Deltas(ctx) {
		err = errors.Join(err, wrong)
	}
	return err
}

// asked reports whether the newest message of a session is of a turn in which a model was
// asked to save.
func (v *ModelSaver) asked(ctx context.Context, o owner.Owner, tip *session.Session) (bool, error) {
	const most = 200 // more than the calls and results of one turn
	ms, err := v.sessions.Messages(ctx, o, tip.RootID, session.Range{Limit: most, Newest: true, Standing: true})
	if err != nil {
		return false, fmt.Errorf("read the newest messages: %w", err)
	}
	spoken := session.Spoken(ms)
	if len(spoken) == 0 {
		return len(ms) > 0, nil
	}
	return spoken[len(spoken)-1].Seq != ms[len(ms)-1].Seq, nil
}
