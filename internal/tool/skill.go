package tool

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/hermes-memory/hermes/internal/fault"
)

// Skill is a parsed SKILL.md: a name, when to use it, and the instructions.
type Skill struct {
	Name        string
	Description string
	Body        string // Markdown
}

// The limits of the format, and of the file.
const (
	maxSkillName        = 64
	maxSkillDescription = 1024 // characters
	maxSkillFile        = 64 << 10
	maxSkillHead        = 8 << 10
)

// skillName is the form of a skill's name: lower-case letters and digits, with single
// hyphens between them.
var skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ParseSkill parses a SKILL.md: YAML between two lines of three hyphens, then Markdown.
// Unknown fields are ignored.
func ParseSkill(text []byte) (Skill, error) {
	if len(text) > maxSkillFile {
		return Skill{}, invalidSkill("the file has more than %d bytes", maxSkillFile)
	}
	if !utf8.Valid(text) {
		return Skill{}, invalidSkill("the file is not UTF-8")
	}
	text = bytes.TrimPrefix(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\ufeff"))
	rest, ok := bytes.CutPrefix(text, []byte("---\n"))
	head, body, closed := bytes.Cut(rest, []byte("\n---"))
	if framed := ok && closed && (len(body) == 0 || body[0] == '\n'); !framed {
		return Skill{}, invalidSkill("it must begin with a block between two lines \"---\" that holds name and description")
	}
	if len(head) > maxSkillHead {
		return Skill{}, invalidSkill("the block at its beginning has more than %d bytes", maxSkillHead)
	}
	var meta struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	if err := yaml.Unmarshal(head, &meta); err != nil {
		return Skill{}, invalidSkill("the block at its beginning is not valid YAML")
	}
	s := Skill{Name: meta.Name, Description: strings.TrimSpace(meta.Description), Body: strings.TrimSpace(string(body))}
	return s, s.check()
}

// check validates a skill.
func (s *Skill) check() error {
	if len(s.Name) > maxSkillName || !skillName.MatchString(s.Name) {
		return invalidSkill("name has 1–%d small letters, digits and single hyphens between them", maxSkillName)
	}
	if n := utf8.RuneCountInString(s.Description); n == 0 || n > maxSkillDescription {
		return invalidSkill("description has 1–%d characters", maxSkillDescription)
	}
	return nil
}

// Format encodes a skill as a SKILL.md.
func (s *Skill) Format() ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	head, err := yaml.Marshal(struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}{s.Name, s.Description})
	if err != nil {
		return nil, fmt.Errorf("encode skill: %w", err)
	}
	out := append([]byte("---\n"), head...)
	out = append(out, "---\n\n"...)
	out = append(append(out, strings.TrimSpace(s.Body)...), '\n')
	if len(out) > maxSkillFile {
		return nil, invalidSkill("it has more than %d bytes", maxSkillFile)
	}
	return out, nil
}

func invalidSkill(format string, args ...any) error {
	return fault.New(fault.Invalid, "invalid_skill", "Not a valid skill: "+fmt.Sprintf(format, args...)+".")
}
