<?php

error_reporting(E_ALL);
require_once '/usr/share/php/GuzzleHttp/autoload.php';

spl_autoload_register(function (string $class): void {
    if (preg_match('/^Malote([AD])\\\\(.*)$/', $class, $parts)) {
        require_once __DIR__ . "/{$parts[1]}/lib/" . str_replace('\\', '/', $parts[2]) . '.php';
    }
});
