package config

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fileValue is a leaf of the file, under its dotted name.
type fileValue struct {
	name, value string
	line        int
}

// parseFile flattens the YAML of a configuration file. Lists become texts
// joined by commas. Duplicate names are errors.
func parseFile(text []byte) ([]fileValue, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("not valid YAML: %w", err)
	}
	if len(doc.Content) == 0 {
		return nil, nil // empty, or comments only
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("the file must be a mapping, such as\n  context:\n    budget_tokens: 8000")
	}
	var out []fileValue
	err := flatten(doc.Content[0], "", &out)
	return out, err
}

func flatten(n *yaml.Node, prefix string, out *[]fileValue) error {
	seen := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := prefix + key.Value
		if seen[name] {
			return fmt.Errorf("line %d: %q is set twice", key.Line, name)
		}
		seen[name] = true
		switch value.Kind {
		case yaml.MappingNode:
			if err := flatten(value, name+".", out); err != nil {
				return err
			}
		case yaml.SequenceNode:
			items := make([]string, 0, len(value.Content))
			for _, item := range value.Content {
				if item.Kind != yaml.ScalarNode {
					return fmt.Errorf("line %d: %q must be a list of plain values", item.Line, name)
				}
				items = append(items, item.Value)
			}
			*out = append(*out, fileValue{name, strings.Join(items, ","), key.Line})
		case yaml.ScalarNode:
			*out = append(*out, fileValue{name, value.Value, key.Line})
		default:
			return fmt.Errorf("line %d: %q uses YAML that is not supported here", key.Line, name)
		}
	}
	return nil
}
