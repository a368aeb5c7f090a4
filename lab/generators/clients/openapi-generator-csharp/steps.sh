source "$ROOT/lab/generators/clients/shared/openapi-generator.sh"
language=csharp
properties=packageName=Malote${CONTRACT:-}

install() { install_generator; }
