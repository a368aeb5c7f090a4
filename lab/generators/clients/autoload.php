<?php

error_reporting(E_ALL);
require_once '/usr/share/php/GuzzleHttp/autoload.php';

spl_autoload_register(function (string $class): void {
    if (preg_match('/^Malote([AD])\\\\(.*)$/', $class, $parts)) {
        require_once __DIR__ . "/{$parts[1]}/lib/" . str_replace('\\', '/', $parts[2]) . '.php';
    }
});

// Loads every class of a contract, which finds what a parser does not: php autoload.php CONTRACT
if (isset($argv[1])) {
    foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator("{$argv[1]}/lib")) as $file) {
        if ($file->getExtension() === 'php') {
            require_once $file->getPathname();
        }
    }
}
