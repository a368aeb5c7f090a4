# What the steps of generators for Rust have in common; sourced by them. What they depend on is compiled once.
export CARGO_TARGET_DIR="$CACHE/rust" CARGO_TERM_COLOR=never

compile() {
  command -v cargo >/dev/null || exit 77
  cargo check --quiet --manifest-path "$CONTRACT/Cargo.toml"
}

drive() { cargo run --quiet --manifest-path driver/Cargo.toml; }
