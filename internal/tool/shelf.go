package tool

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/hermes-memory/hermes/internal/durable"
	"github.com/hermes-memory/hermes/internal/fault"
	"github.com/hermes-memory/hermes/internal/owner"
	"github.com/hermes-memory/hermes/internal/run"
)

// shelf is a directory of skills with one folder each. Every path is opened through an
// [os.Root], so that neither a name nor a link can reach a file outside the directory.
type shelf struct{ dir string }

const (
	skillFile = "SKILL.md"
	// maxSkills bounds the skills of a shelf.
	maxSkills = 200
)

// shelves are the directories that a turn reads, its own first. Skills saved by turns
// of one owner, or of one session key, are visible to no others. The user of this
// machine adds skills to the common shelf by hand.
func shelves(home string, g *run.Grant) []shelf {
	common := shelf{path.Join(home, "skills")}
	local := g.Owner.ID() == owner.LocalID
	if local && g.Key == "" {
		return []shelf{common}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", g.Owner.ID(), g.Key))
	own := shelf{path.Join(common.dir, ".scopes", hex.EncodeToString(sum[:16]))}
	if local {
		return []shelf{own, common}
	}
	return []shelf{own}
}

// open opens the directory; NotFound if there is none.
func (s shelf) open() (*os.Root, error) {
	root, err := os.OpenRoot(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noSkill()
	}
	if err != nil {
		return nil, fmt.Errorf("open skills: %w", err)
	}
	return root, nil
}

func noSkill() error { return fault.New(fault.NotFound, "skill_not_found", "There is no such skill.") }

// list returns the valid skills, by name.
func (s shelf) list() ([]Skill, error) {
	root, err := s.open()
	if fault.KindOf(err) == fault.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("list skills: %w", err)
	}
	var out []Skill
	for _, e := range entries {
		if !e.IsDir() || !skillName.MatchString(e.Name()) || len(out) == maxSkills {
			continue
		}
		if skill, err := readSkill(root, e.Name()); err == nil { // other folders are ignored
			out = append(out, skill)
		}
	}
	return out, nil
}

// readSkill reads a skill, whose name must be the name of its folder.
func readSkill(root *os.Root, name string) (Skill, error) {
	text, err := readText(root, path.Join(name, skillFile))
	if err != nil {
		return Skill{}, err
	}
	skill, err := ParseSkill(text)
	if err == nil && skill.Name != name {
		err = invalidSkill("its name is not the name of its folder")
	}
	return skill, err
}

// readText reads a text file of the shelf.
func readText(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, noSkill()
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, noSkill()
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSkillFile+1))
	if err != nil {
		return nil, fmt.Errorf("read skill: %w", err)
	}
	if len(text) > maxSkillFile || !utf8.Valid(text) {
		return nil, fault.New(fault.Invalid, "invalid_skill", "This file is too large, or no text.")
	}
	return text, nil
}

// view returns a file of a skill; "" is its SKILL.md.
func (s shelf) view(name, file string) ([]byte, error) {
	if len(name) > maxSkillName || !skillName.MatchString(name) {
		return nil, noSkill()
	}
	if file == "" {
		file = skillFile
	}
	if !fs.ValidPath(file) || slices.Contains([]string{".", ""}, file) {
		return nil, noSkill()
	}
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	folder, err := root.OpenRoot(name) // links must not lead to another skill
	if err != nil {
		return nil, noSkill()
	}
	defer func() { _ = folder.Close() }()
	return readText(folder, file)
}

// save writes a skill atomically, readable by this account only.
func (s shelf) save(skill *Skill) error {
	text, err := skill.Format()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("make skills: %w", err)
	}
	root, err := s.open()
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := s.room(root, skill.Name); err != nil {
		return err
	}
	if err := root.MkdirAll(skill.Name, 0o700); err != nil {
		return fmt.Errorf("make skill: %w", err)
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	temp := path.Join(skill.Name, ".SKILL."+hex.EncodeToString(b[:]))
	err = writeFile(root, temp, text)
	if err == nil {
		err = root.Rename(temp, path.Join(skill.Name, skillFile))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write skill: %w", err), root.Remove(temp))
	}
	return nil
}

// room refuses a skill over the limit.
func (s shelf) room(root *os.Root, name string) error {
	if _, err := root.Stat(name); err == nil {
		return nil
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return fmt.Errorf("list skills: %w", err)
	}
	if len(entries) >= maxSkills {
		return fault.New(fault.TooLarge, "too_many_skills", fmt.Sprintf("There are %d skills already: change one of them instead.", maxSkills))
	}
	return nil
}

func writeFile(root *os.Root, name string, text []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return durable.Write(f, text)
}
