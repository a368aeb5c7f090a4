source "$ROOT/lab/generators/clients/shared/openapi-generator.sh"
source "$ROOT/lab/generators/clients/shared/rust.sh"
language=rust
properties=packageName=malote-${CONTRACT:-}

install() { install_generator; }
