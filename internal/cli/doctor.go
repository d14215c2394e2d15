package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/hermes-memory/hermes/internal/config"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/httpapi"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/upstream"
)

// finding is the result of one check.
type finding struct {
	About string  `json:"about"`
	Level verdict `json:"level"`
	Says  string  `json:"says"`
	// Do is the recommended action; "" if all is well.
	Do string `json:"do,omitempty"`
}

// verdict is the severity of a finding.
type verdict string

const (
	fine    verdict = "ok"
	warning verdict = "warning"
	failing verdict = "failed"
)

func (v verdict) sign() string {
	return map[verdict]string{fine: "✓", warning: "!", failing: "✗"}[v]
}

func (a *app) doctorCommand() *cobra.Command {
	var deep bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what was chosen and why, what is wrong, and what to do",
		Long: `Look at the home, the configuration, the database, the keys, the address and the
model's server, and say for each what was chosen and why, what is wrong, and how
to fix it. Nothing is changed; a missing home directory is created.

Exit codes: 0 nothing is wrong (warnings may be), 1 something is, 2 wrong usage.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return a.printFindings(a.examine(c.Context(), deep))
		},
	}
	c.Flags().BoolVar(&deep, "deep", false, "read the whole database, which takes a while for a large one")
	a.settingFlags(c)
	return c
}

// examine runs the checks in order. After a failed check, it skips the checks that
// depend on it.
func (a *app) examine(ctx context.Context, deep bool) []finding {
	found := []finding{{About: "program", Level: fine,
		Says: fmt.Sprintf("hermes %s, %s, %s/%s", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)}}
	cfg, err := a.load()
	if err != nil {
		return append(found, finding{"configuration", failing, err.Error(), "Correct the setting that it names."})
	}
	found = append(found, examineConfiguration(cfg), examineHome(cfg), examineDisk(cfg.Home))
	d, running, err := a.detail(ctx, cfg, deep)
	if err != nil {
		return append(found, finding{"database", failing, fault.MessageOf(err), "`hermes serve` fails the same way until this is fixed."})
	}
	found = append(found, examineServer(ctx, cfg, running))
	found = append(found, examineNames(cfg)...)
	found = append(found, examineDatabase(&d.Data))
	if len(d.Data.Damage) == 0 {
		found = append(found, examineIndex(&d.Data.Index), examineWork(&d.Work), examineKeys(cfg, d))
	}
	if running != nil {
		found = append(found, examinePlatforms(d.Platforms)...)
	}
	found = append(found, examineBackups(cfg, time.Now()))
	found = append(found, examineProvider(cfg)...)
	found = append(found, examineUpstream(&d.Upstream, cfg.Responder == "off"))
	for _, skipped := range d.Upstream.Skipped {
		found = append(found, finding{"model", warning, skipped, "Nothing, if you do not want it used."})
	}
	return found
}

// detail gets the state from the running server, or finds it out in this process.
func (a *app) detail(ctx context.Context, cfg *config.Config, deep bool) (d *httpapi.Detail, running *serverFile, err error) {
	if running, err = runningServer(cfg); err != nil {
		return nil, nil, err
	}
	cl, err := a.connectWith(ctx, cfg, func() (upstream.Choice, error) {
		return choose(ctx, cfg, &listening{addr: cfg.Addr()})
	})
	if err != nil {
		return nil, nil, err
	}
	if cl.embedded != nil {
		running = nil
	}
	d = new(httpapi.Detail)
	path := "/health/detailed"
	if deep {
		path += "?deep=true"
	}
	return d, running, errors.Join(cl.call(ctx, http.MethodGet, path, nil, d), cl.close())
}

func examineConfiguration(cfg *config.Config) finding {
	f := finding{About: "configuration", Level: fine, Says: "the defaults; there is no " + cfg.File()}
	changed := 0
	for _, r := range cfg.Rows() {
		if r.Source != "default" {
			changed++
		}
	}
	if changed > 0 {
		f.Says = fmt.Sprintf("settings that differ from the defaults: %d; `hermes config show` lists them", changed)
	}
	return f
}

func examineHome(cfg *config.Config) finding {
	info, err := os.Stat(cfg.Home)
	switch {
	case os.IsNotExist(err):
		return finding{"home", fine, cfg.Home + " is not there yet, and is made now", ""}
	case err != nil:
		return finding{"home", failing, fmt.Sprintf("%s: %v", cfg.Home, err), "Choose another place with HERMES_HOME."}
	case runtime.GOOS == "windows": // has no such modes
		return finding{"home", fine, cfg.Home + "; its access list says who can read it", ""}
	}
	return homeFinding(cfg.Home, info.Mode().Perm(), otherAccount(info))
}

// homeFinding is the finding for a home with its mode, and the account that it belongs to if that is another one.
func homeFinding(home string, mode os.FileMode, account string) finding {
	switch {
	case account != "":
		return finding{
			"home", warning, home + " belongs to the account " + account + ": what this account makes there, " + account + " may not read",
			"Run the commands as that account: sudo -u " + account + " HERMES_HOME=" + home + " hermes doctor",
		}
	case mode&0o077 != 0:
		return finding{"home", warning, home + " can be read by others", "The next start makes it private."}
	}
	return finding{"home", fine, home + ", readable by you alone", ""}
}

func examineServer(ctx context.Context, cfg *config.Config, running *serverFile) finding {
	if running != nil {
		f := finding{"server", fine, fmt.Sprintf("running at http://%s since %s (process %d)", running.Address,
			running.StartedAt.Local().Format("2006-01-02 15:04"), running.PID), ""}
		if running.Version != Version() {
			f.Level, f.Do = warning, "Restart it: it is "+running.Version+", this program is "+Version()+"."
		}
		return f
	}
	at, err := listen(ctx, cfg)
	if err != nil {
		return finding{"server", failing, fault.MessageOf(err), "Free the address, or choose another one with --addr."}
	}
	defer at.close()
	if at.ollama != "" {
		return finding{"server", fine, "not running; would listen on " + at.addr + ", because Ollama holds " + at.ollama, ""}
	}
	return finding{"server", fine, "not running; " + at.addr + " is free", ""}
}

// examineNames says which host names a server for other machines answers to.
func examineNames(cfg *config.Config) []finding {
	host, _, err := net.SplitHostPort(cfg.Addr())
	if err != nil || !isPublic(host) {
		return nil
	}
	return []finding{{"names", fine, answeredNames(cfg), ""}}
}

func examineWork(w *httpapi.Work) finding {
	switch {
	case w.Failing > 0:
		return finding{
			"work", warning, fmt.Sprintf("%d of %d waiting background tasks have failed: %s", w.Failing, w.Waiting, w.Error),
			"They are tried again by themselves; `hermes work` says when.",
		}
	case w.Waiting+w.Running > 0:
		return finding{"work", fine, fmt.Sprintf("%d background tasks wait and %d run", w.Waiting, w.Running), ""}
	}
	return finding{"work", fine, "the queue of background tasks is empty", ""}
}

func examineKeys(cfg *config.Config, d *httpapi.Detail) finding {
	for _, key := range cfg.Server.Keys {
		if err := owner.CheckConfigured(key); err != nil {
			return finding{"keys", failing, fault.MessageOf(err), "Set a longer one: openssl rand -hex 32"}
		}
	}
	switch {
	case cfg.Server.NoAuth:
		return finding{"keys", warning, "--no-auth: every account and program on this machine reads all data; sessions need a key", "Leave --no-auth out, and make a key: hermes keys create --name me --owner local"}
	case d.Keys.Development:
		return finding{"keys", fine, "the development key \"hermes\" is accepted, on this machine only", ""}
	case d.Keys.Valid == 0:
		return finding{"keys", failing, "no key is accepted", "Make one: hermes keys create --name me --owner local"}
	}
	return finding{"keys", fine, fmt.Sprintf("%d accepted", d.Keys.Valid), ""}
}

func examineUpstream(u *httpapi.Upstream, off bool) finding {
	switch {
	case u.Kind == string(upstream.KindRecall) && off:
		return finding{"model", warning, "none: " + u.Why + ", and recall is off", "Set HERMES_UPSTREAM_URL, or --responder recall."}
	case u.Kind == string(upstream.KindRecall):
		return finding{"model", fine, "none, so memory answers by quoting: " + u.Why, ""}
	case u.Error != "":
		return finding{"model", failing, fmt.Sprintf("%s does not answer: %s", u.URL, u.Error), "Start it, or correct HERMES_UPSTREAM_URL and its key. Until then memory answers."}
	}
	name := u.Model
	if name == "" {
		name = "its first model"
	}
	if !u.Listed {
		return finding{"model", warning, fmt.Sprintf("%s at %s is not among the %d models listed there", name, u.URL, u.Models), "Correct HERMES_MODEL, or ignore this if the server loads models on request."}
	}
	return finding{"model", fine, fmt.Sprintf("%s at %s (%s); it lists %d", name, u.URL, u.Why, u.Models), ""}
}

// printFindings fails if a check has failed.
func (a *app) printFindings(found []finding) error {
	wrong := 0
	for i := range found {
		if found[i].Level == failing {
			wrong++
		}
	}
	if a.json {
		if err := a.printJSON(map[string]any{"ok": wrong == 0, "findings": found, "at": time.Now().UTC()}); err != nil {
			return err
		}
	} else {
		for i := range found {
			f := &found[i]
			a.say("%s %-14s %s", f.Level.sign(), f.About, f.Says)
			if f.Do != "" {
				a.say("  %-14s → %s", "", f.Do)
			}
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d things looked at are wrong", wrong, len(found))
	}
	return nil
}
