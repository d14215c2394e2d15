package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fileValue is a leaf of the file with its dotted name. An empty one is a name without
// a value, such as a section that has only comments.
type fileValue struct {
	name, value string
	items       []string // of a list
	line        int
	empty       bool
}

// parseFile flattens the YAML of a configuration file. Lists become texts joined by
// commas. A duplicate name is an error.
func parseFile(text []byte) ([]fileValue, error) {
	var doc, more yaml.Node
	in := yaml.NewDecoder(bytes.NewReader(text))
	if err := in.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("not valid YAML: %w", err)
	}
	if err := in.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file must be one document: leave out what follows the line \"---\"")
	}
	if len(doc.Content) == 0 {
		return nil, nil // empty, or comments only
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("the file must be a mapping, such as\n  context:\n    budget_tokens: 8000")
	}
	var out []fileValue
	err := flatten(doc.Content[0], "", make(map[string]bool), &out)
	return out, err
}

func flatten(n *yaml.Node, prefix string, seen map[string]bool, out *[]fileValue) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := prefix + key.Value
		if value.Kind == yaml.MappingNode {
			if err := flatten(value, name+".", seen, out); err != nil {
				return err
			}
			continue
		}
		if seen[name] {
			return fmt.Errorf("line %d: %q is set twice", key.Line, name)
		}
		seen[name] = true
		switch value.Kind {
		case yaml.SequenceNode:
			items := make([]string, 0, len(value.Content))
			for _, item := range value.Content {
				if item.Kind != yaml.ScalarNode {
					return fmt.Errorf("line %d: %q must be a list of plain values", item.Line, name)
				}
				items = append(items, item.Value)
			}
			*out = append(*out, fileValue{name: name, value: strings.Join(items, ","), items: items, line: key.Line})
		case yaml.ScalarNode:
			*out = append(*out, fileValue{name: name, value: value.Value, line: key.Line, empty: value.Tag == "!!null"})
		default:
			return fmt.Errorf("line %d: %q uses YAML that is not supported here", key.Line, name)
		}
	}
	return nil
}
