// Prints what go-yaml reads in each file: a JSON list of files, of documents each. Fails at a value that JSON does not have.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"gopkg.in/yaml.v3"
)

// check refuses times, which JSON would take for texts, and maps with keys that are no texts.
func check(value any) {
	switch each := value.(type) {
	case map[string]any:
		for _, child := range each {
			check(child)
		}
	case []any:
		for _, child := range each {
			check(child)
		}
	case nil, string, bool, int, uint64, float64:
	default:
		panic(fmt.Sprintf("JSON has no %T: %v", value, value))
	}
}

func documentsIn(path string) []any {
	file, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	documents := []any{}
	for decoder := yaml.NewDecoder(file); ; {
		var document any
		if err := decoder.Decode(&document); err == io.EOF {
			return documents
		} else if err != nil {
			panic(fmt.Sprintf("%s: %v", path, err))
		}
		check(document)
		documents = append(documents, document)
	}
}

func main() {
	files := []any{}
	for _, path := range os.Args[1:] {
		files = append(files, documentsIn(path))
	}
	if err := json.NewEncoder(os.Stdout).Encode(files); err != nil {
		panic(err)
	}
}
