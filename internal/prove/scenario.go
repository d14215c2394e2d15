package prove

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Scenario is a promise and the steps that check it.
type Scenario struct {
	Name    string `yaml:"name"`
	Promise string `yaml:"promise"`
	// Model is "scripted", which gives the answers of the steps, or "none".
	Model string `yaml:"model"`
	// Budget bounds the context, in tokens; 0 means the default.
	Budget int `yaml:"budget"`
	// Process runs the program as a process, so that it can be killed.
	Process bool   `yaml:"process"`
	Steps   []Step `yaml:"steps"`
}

// The models a scenario can have.
const (
	modelScripted = "scripted"
	modelNone     = "none"
)

// Step is one action or check. Exactly one field of the first group is set. In all
// texts ${i} is the round of a repetition, ${filler} a paragraph of small talk, and
// ${name} a saved value.
type Step struct {
	Say      string        `yaml:"say"`      // a turn
	Get      string        `yaml:"get"`      // a path of the API
	Post     string        `yaml:"post"`     //
	Patch    string        `yaml:"patch"`    //
	Delete   string        `yaml:"delete"`   //
	Sent     *Text         `yaml:"sent"`     // what the model was sent last
	Files    *Text         `yaml:"files"`    // the bytes of all files of the home
	Upstream string        `yaml:"upstream"` // "down" or "up"
	Advance  time.Duration `yaml:"advance"`  // the clock
	Restart  bool          `yaml:"restart"`
	Kill     bool          `yaml:"kill"`
	Repeat   *Repeat       `yaml:"repeat"`
	Together *Repeat       `yaml:"together"` // all rounds at once

	// Of a turn and of a call.
	Session string            `yaml:"session"`
	Key     string            `yaml:"key"`
	As      string            `yaml:"as"` // an owner other than the local one
	Headers map[string]string `yaml:"headers"`
	Body    map[string]any    `yaml:"body"`
	Answer  string            `yaml:"answer"` // what the scripted model says
	Expect  *Expect           `yaml:"expect"`
	// Save saves values of the answer by their dotted paths.
	Save map[string]string `yaml:"save"`
}

// Text says what a text must contain and must not contain.
type Text struct {
	Contains []string `yaml:"contains"`
	Lacks    []string `yaml:"lacks"`
	// AtMost bounds the tokens of the request, counted by this program.
	AtMost int `yaml:"at_most_tokens"`
	// Calls is the number of requests to the model since the scenario began.
	Calls *int `yaml:"calls"`
}

// Expect are the expectations for an answer.
type Expect struct {
	// Status is the HTTP status; 0 means any success.
	Status   int               `yaml:"status"`
	Contains []string          `yaml:"contains"`
	Lacks    []string          `yaml:"lacks"`
	Header   map[string]string `yaml:"header"`
	// JSON are values of the body by dotted path: "data.0.id".
	JSON map[string]any `yaml:"json"`
	// More are numbers that a value must exceed.
	More map[string]float64 `yaml:"more"`
}

// Repeat repeats steps.
type Repeat struct {
	Times int    `yaml:"times"`
	Steps []Step `yaml:"steps"`
}

//go:embed scenarios/*.yaml
var promises embed.FS

// Promises are the embedded scenarios.
func Promises() ([]Scenario, error) {
	names, err := fs.Glob(promises, "scenarios/*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list scenarios: %w", err)
	}
	var all []Scenario
	for _, name := range names {
		text, err := promises.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read scenario: %w", err)
		}
		some, err := Parse(path.Base(name), text)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// Parse reads scenarios from YAML, one per document. file is the file's name for
// errors.
func Parse(file string, text []byte) ([]Scenario, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	var all []Scenario
	for {
		s := Scenario{Model: modelScripted}
		err := dec.Decode(&s)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = s.check()
		}
		if err != nil {
			return nil, fault.New(fault.Invalid, "invalid_scenario", fmt.Sprintf("%s, scenario %d: %v", file, len(all)+1, err))
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, fault.New(fault.Invalid, "invalid_scenario", file+" has no scenario in it.")
	}
	return all, nil
}

func (s *Scenario) check() error {
	switch {
	case s.Name == "":
		return errors.New("it has no name")
	case len(s.Steps) == 0:
		return fmt.Errorf("%q has no steps", s.Name)
	case s.Model != modelScripted && s.Model != modelNone:
		return fmt.Errorf("%q is no model: use scripted or none", s.Model)
	}
	return checkSteps(s, s.Steps)
}

func checkSteps(s *Scenario, steps []Step) error {
	for i := range steps {
		st := &steps[i]
		if n := len(st.actions()); n != 1 {
			return fmt.Errorf("step %d of %q must do exactly one thing, such as say or get; it does %d", i+1, s.Name, n)
		}
		var err error
		switch {
		case st.Kill && !s.Process:
			err = errors.New("only a scenario with `process: true` can be killed")
		case st.Advance != 0 && s.Process:
			err = errors.New("a process has the machine's clock")
		case s.Model == modelNone && st.needsModel():
			err = errors.New("there is no model in this scenario")
		case !slices.Contains([]string{"", "up", "down"}, st.Upstream):
			err = fmt.Errorf("%q is neither up nor down", st.Upstream)
		case st.Repeat != nil:
			err = st.Repeat.check(s)
		case st.Together != nil:
			err = st.Together.check(s)
		}
		if err != nil {
			return fmt.Errorf("step %d of %q: %w", i+1, s.Name, err)
		}
	}
	return nil
}

func (st *Step) needsModel() bool { return st.Sent != nil || st.Upstream != "" || st.Answer != "" }

func (r *Repeat) check(s *Scenario) error {
	const most = 100_000
	if r.Times < 1 || r.Times > most || len(r.Steps) == 0 {
		return fmt.Errorf("a repetition has steps and 1 to %d times", most)
	}
	return checkSteps(s, r.Steps)
}

// actions are the actions that a step sets.
func (st *Step) actions() []string {
	var does []string
	for name, set := range map[string]bool{
		"say": st.Say != "", "get": st.Get != "", "post": st.Post != "", "patch": st.Patch != "", "delete": st.Delete != "",
		"sent": st.Sent != nil, "files": st.Files != nil, "upstream": st.Upstream != "", "advance": st.Advance != 0,
		"restart": st.Restart, "kill": st.Kill, "repeat": st.Repeat != nil, "together": st.Together != nil,
	} {
		if set {
			does = append(does, name)
		}
	}
	return does
}
