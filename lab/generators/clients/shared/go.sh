# What the steps of generators for Go have in common; sourced by them.

# A module for the clients of all contracts and what drives them: module DEPENDENCY@VERSION…
module() {
  command -v go >/dev/null || exit 77
  go mod init trial
  [ $# -eq 0 ] || go get "$@"
}

compile() { go vet "./$CONTRACT"; }

drive() { go run .; }
