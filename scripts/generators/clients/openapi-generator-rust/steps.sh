source "$ROOT/scripts/generators/clients/shared/openapi-generator.sh"
source "$ROOT/scripts/generators/clients/shared/rust.sh"
language=rust
properties=packageName=malote-${CONTRACT:-}

install() { install_generator; }
