// A process target for assay: @NAME@, for the operation @OPERATION@.
//
//	go build -o @NAME@ @NAME@.go
//	assay certify --exec ./@NAME@ @SUITE@
//
// One function is yours to fill in: compute. As it stands, the target says of every case that it
// does not support it.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const done = false // set this to true when compute is done

// tensor: its data are little-endian elements.
type tensor struct {
	dtype string
	shape []int
	data  []byte
}

// rejected is the error of a request that the library refuses as invalid.
type rejected struct{ why string }

func (r rejected) Error() string { return r.why }

// compute gives the outputs by name (@OUTPUTS@). Inputs: @INPUTS@. Call your library here; return
// rejected{why} where it refuses the request as invalid.
func compute(attributes map[string]any, inputs map[string]tensor) (map[string]tensor, error) {
@ATTRIBUTES@
	return map[string]tensor{}, nil
}

func supports(r request) string {
	switch {
	case !done:
		return "compute is not written yet"
	case r.Op != "@OPERATION@":
		return "this target computes @OPERATION@ only"
	case r.Window != nil:
		return "no windows"
	}
	return ""
}

// ---- what is the same for every target --------------------------------------

type request struct {
	ID         string          `json:"id"`
	Op         string          `json:"op"`
	Attributes map[string]any  `json:"attributes"`
	Inputs     map[string]wire `json:"inputs"`
	Window     []int           `json:"window"`
}

type wire struct {
	Dtype  string   `json:"dtype"`
	Shape  []int    `json:"shape"`
	Bits   []string `json:"bits,omitempty"`
	File   string   `json:"file,omitempty"`
	Tensor string   `json:"tensor,omitempty"`
}

type place struct {
	Dtype   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

var sizes = map[string]int{"bool": 1, "i8": 1, "u8": 1, "f8e4m3": 1, "f8e5m2": 1, "i16": 2,
	"u16": 2, "f16": 2, "bf16": 2, "i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8,
	"f8e4m3fnuz": 1, "f8e5m2fnuz": 1, "f8e8m0": 1,
	"f4e2m1": 1, "i4": 1, "u4": 1, "i2": 1, "u2": 1} // the code in the low bits of a byte

// swap gives elements most significant byte first, or back.
func swap(data []byte, size int) []byte {
	swapped := make([]byte, len(data))
	for i := range data {
		swapped[i-i%size+size-1-i%size] = data[i]
	}
	return swapped
}

func readTensor(w wire, directory string) (tensor, error) {
	t := tensor{dtype: w.Dtype, shape: w.Shape}
	if w.File == "" {
		data, err := hex.DecodeString(strings.Join(w.Bits, ""))
		t.data = swap(data, sizes[w.Dtype])
		return t, err
	}
	file, err := os.ReadFile(filepath.Join(directory, w.File))
	if err != nil {
		return t, err
	}
	start := 8 + int(binary.LittleEndian.Uint64(file))
	header := map[string]place{}
	err = json.Unmarshal(file[8:start], &header)
	at := header[w.Tensor].Offsets
	t.data = file[start+at[0] : start+at[1]]
	return t, err
}

func writeTensor(name string, t tensor, directory, id string) (map[string]any, error) {
	size := sizes[t.dtype]
	answer := map[string]any{"dtype": t.dtype, "shape": t.shape}
	if t.shape == nil {
		answer["shape"] = []int{}
	}
	if len(t.data)/size <= 64 {
		bits := []string{}
		for at := 0; at < len(t.data); at += size {
			bits = append(bits, hex.EncodeToString(swap(t.data[at:at+size], size)))
		}
		answer["bits"] = bits
		return answer, nil
	}
	kind := strings.ToUpper(t.dtype)
	switch t.dtype {
	case "f4e2m1", "i4", "u4", "i2", "u2":
		kind = "U8"
	default:
		kind = strings.Replace(kind, "F8E", "F8_E", 1)
	}
	header, err := json.Marshal(map[string]place{name: {kind, t.shape, [2]int{0, len(t.data)}}})
	if err != nil {
		return nil, err
	}
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	file = append(append(file, header...), t.data...)
	answer["file"], answer["tensor"] = "out-"+id+"-"+name+".safetensors", name
	return answer, os.WriteFile(filepath.Join(directory, answer["file"].(string)), file, 0o600)
}

func run(r request, directory string) map[string]any {
	inputs := map[string]tensor{}
	for name, w := range r.Inputs {
		t, err := readTensor(w, directory)
		if err != nil {
			return map[string]any{"failed": err.Error()}
		}
		inputs[name] = t
	}
	outputs, err := compute(r.Attributes, inputs)
	if why, is := err.(rejected); is {
		return map[string]any{"rejected": why.why}
	}
	answer := map[string]any{}
	for name, t := range outputs {
		if err == nil {
			answer[name], err = writeTensor(name, t, directory, r.ID)
		}
	}
	if err != nil {
		return map[string]any{"failed": err.Error()}
	}
	return map[string]any{"outputs": answer}
}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	directory := "."
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var line struct {
			Hello     int
			Directory string
			Supports  *request
			Run       *request
		}
		answer := map[string]any{}
		if err := json.Unmarshal(text, &line); err != nil {
			answer["failed"] = err.Error()
		} else if line.Hello != 0 {
			directory = line.Directory
			answer["name"], answer["version"] = "@NAME@", "0"
			answer["operations"] = []string{"@OPERATION@"}
		} else if line.Supports != nil {
			if why := supports(*line.Supports); why != "" {
				answer["unsupported"] = why
			} else {
				answer["supported"] = true
			}
		} else {
			answer = run(*line.Run, directory)
		}
		out, _ := json.Marshal(answer)
		fmt.Println(string(out))
	}
}
