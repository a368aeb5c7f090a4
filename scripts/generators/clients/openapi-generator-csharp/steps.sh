source "$ROOT/scripts/generators/clients/shared/openapi-generator.sh"
language=csharp
properties=packageName=Malote${CONTRACT:-}

install() { install_generator; }
