// Writes the tables of core/src/text/unicode from Go's own unicode package, so that classes mean here what
// they mean to the reference. Run in the root of the repository: go run ./xtask/unicode/main.go
//
// All numbers are LEB128. The tables hold runs over all code points in order:
//
//	categories.bin  a byte each: the category's index in the low 5 bits, the length in the high 3; 0 there
//	                means that the length follows
//	scripts.bin     the script's index from 1 (0: none) as a byte, then the length
//	folds.bin       from-start (less the last one), count, step, distance: `from` and `from + distance` differ
//	                in case alone; from < to, and every orbit is a chain of such pairs
//	upper.bin       from-start (less the last one), count, step, distance doubled, its low bit set where it
//	lower.bin       leads down: the other case of each character that has one
package main

import (
	"fmt"
	"os"
	"sort"
	"unicode"
)

const folder = "core/src/text/unicode/"

func number(out []byte, n int) []byte {
	for n >= 0x80 {
		out = append(out, byte(n)|0x80)
		n >>= 7
	}
	return append(out, byte(n))
}

// runs calls each for every stretch of code points with the same name.
func runs(tables map[string]*unicode.RangeTable, use func(string) bool, each func(name string, length int)) {
	names := make([]string, unicode.MaxRune+1)
	for name, table := range tables {
		if !use(name) {
			continue
		}
		for _, r := range table.R16 {
			for c := int(r.Lo); c <= int(r.Hi); c += int(r.Stride) {
				names[c] = name
			}
		}
		for _, r := range table.R32 {
			for c := int(r.Lo); c <= int(r.Hi); c += int(r.Stride) {
				names[c] = name
			}
		}
	}
	for at := 0; at < len(names); {
		end := at
		for end < len(names) && names[end] == names[at] {
			end++
		}
		each(names[at], end-at)
		at = end
	}
}

func sorted(tables map[string]*unicode.RangeTable, use func(string) bool) (names []string, index map[string]int) {
	for name := range tables {
		if use(name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	index = map[string]int{}
	for at, name := range names {
		index[name] = at
	}
	return names, index
}

func write(name string, bytes []byte) {
	if err := os.WriteFile(folder+name, bytes, 0o644); err != nil {
		panic(err)
	}
	fmt.Println(name, len(bytes), "bytes")
}

func main() {
	exact := func(name string) bool { return len(name) == 2 && name != "LC" }
	names, index := sorted(unicode.Categories, exact)
	fmt.Printf("categories: %q\n", names)
	var out []byte
	runs(unicode.Categories, exact, func(name string, length int) {
		head := byte(index[name])
		if length < 8 {
			out = append(out, head|byte(length)<<5)
		} else {
			out = number(append(out, head), length)
		}
	})
	write("categories.bin", out)

	all := func(string) bool { return true }
	names, index = sorted(unicode.Scripts, all)
	fmt.Printf("scripts: %q\n", names)
	out = nil
	runs(unicode.Scripts, all, func(name string, length int) {
		at := 0
		if name != "" {
			at = index[name] + 1
		}
		out = number(append(out, byte(at)), length)
	})
	write("scripts.bin", out)

	write("folds.bin", stretches(unicode.SimpleFold, false))
	write("upper.bin", stretches(unicode.ToUpper, true))
	write("lower.bin", stretches(unicode.ToLower, true))
}

// stretches are the characters that lie equally far from the one that of gives: where only upwards, those below it.
func stretches(of func(rune) rune, downwards bool) (out []byte) {
	type run struct{ start, count, step, distance int }
	var all []run
	for c := rune(0); c <= unicode.MaxRune; c++ {
		distance := int(of(c)) - int(c)
		if distance == 0 || distance < 0 && !downwards {
			continue
		}
		if n := len(all); n > 0 && all[n-1].distance == distance {
			last := &all[n-1]
			step := int(c) - (last.start + (last.count-1)*last.step)
			if last.count == 1 || step == last.step {
				last.step = step
				last.count++
				continue
			}
		}
		all = append(all, run{int(c), 1, 1, distance})
	}
	before := 0
	for _, run := range all {
		distance := run.distance
		if downwards {
			distance = max(run.distance*2, -run.distance*2|1)
		}
		for _, n := range []int{run.start - before, run.count, run.step, distance} {
			out = number(out, n)
		}
		before = run.start
	}
	return out
}
